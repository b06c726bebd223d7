// The chart of a guardrail report: requests with a match by day, those that would be blocked and those that would be
// masked.
import type { ManagementRoutes } from '@sallyport/sdk'
import { daysOf } from '../../api/days.ts'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import type { Series } from '../../ui/charts/series.ts'

export type GuardrailReport = ManagementRoutes['GET /auth/v1/projects/{projectId}/guardrails/report']['output']
type Day = GuardrailReport['by_day'][number]

/** The API keeps events as long. */
const maxDays = 30

const series: Series<Day>[] = [
  { title: 'Blocked, or would be', tone: 'danger', value: ({ would_block }) => would_block },
  { title: 'Masked or redacted, or would be', tone: 'warn', value: ({ would_mask }) => would_mask },
]

export function DayChart({ report }: { report: GuardrailReport }) {
  return (
    <BarChart
      caption="Requests with a match by day"
      rows={fillDays(report)}
      labelTitle="Day (UTC)"
      labelOf={({ day }) => day}
      series={series}
    />
  )
}

/** Every day of the report: the API leaves out days without requests. */
function fillDays({ by_day: known, ...period }: GuardrailReport): Day[] {
  const byDay = new Map(known.map(one => [one.day, one]))
  return daysOf(period, maxDays).map(day => byDay.get(day) ?? { day, requests: 0, would_block: 0, would_mask: 0 })
}
