// The chart of a guardrail report: requests with a match by day, those that would be blocked and those that would be
// masked.
import type { ManagementRoutes } from '@sallyport/sdk'
import { BarChart, type Series } from '../../ui/bar-chart.tsx'

export type GuardrailReport = ManagementRoutes['GET /auth/v1/projects/{projectId}/guardrails/report']['output']
type Day = GuardrailReport['by_day'][number]

const dayMs = 86_400_000

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

/** Every day of the report, oldest first: the API leaves out days without requests. */
function fillDays({ from, to, by_day: known }: GuardrailReport): Day[] {
  const days: Day[] = []
  for (let time = Date.parse(from); time <= Date.parse(to); time += dayMs) {
    const day = new Date(time).toISOString().slice(0, 10)
    days.push(known.find(one => one.day === day) ?? { day, requests: 0, would_block: 0, would_mask: 0 })
  }
  return days
}
