// Tables and charts of the design system, with figures that are made up.
import { BarChart } from '../ui/charts/bar-chart.tsx'
import type { Series } from '../ui/charts/series.ts'
import { formatCount, formatUsd } from '../ui/numbers.ts'
import { Section } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'

interface Day {
  day: string
  answered: number
  rejected: number
  failed: number
  before: number
}

const days: Day[] = Array.from({ length: 30 }, (_none, index) => ({
  day: new Date(Date.UTC(2026, 0, index + 1)).toISOString().slice(0, 10),
  answered: 400 + Math.round(300 * Math.sin(index / 3)),
  rejected: (index * 7) % 60,
  failed: index % 9 === 0 ? 40 : 0,
  before: 380 + Math.round(260 * Math.sin(index / 3 + 1)),
}))

const series: Series<Day>[] = [
  { title: 'Answered', tone: 'accent', value: ({ answered }) => answered },
  { title: 'Rejected', tone: 'warn', value: ({ rejected }) => rejected },
  { title: 'Failed', tone: 'danger', value: ({ failed }) => failed },
]

const columns: Column<Day>[] = [
  { title: 'Day (UTC)', value: ({ day }) => day, cell: ({ day }) => day },
  { title: 'Requests', isNumber: true, value: day => day.answered, cell: ({ answered }) => formatCount(answered) },
  { title: 'Cost', isNumber: true, value: day => day.answered, cell: ({ answered }) => formatUsd(answered / 1000) },
]

export function DesignData() {
  return (
    <>
      <Section title="Charts">
        <div className="rounded-lg border border-line p-4">
          <BarChart
            caption="Requests by day (UTC)"
            rows={days}
            labelTitle="Day (UTC)"
            labelOf={({ day }) => day}
            tickOf={({ day }) => day.slice(5)}
            series={series}
            before={{ title: 'Period before', value: ({ before }) => before }}
          />
        </div>
      </Section>
      <Section title="Tables">
        <Table
          caption="Days"
          columns={columns}
          rows={days.slice(0, 5)}
          keyOf={({ day }) => day}
          empty={<p>Nothing.</p>}
          fileName="days"
        />
      </Section>
    </>
  )
}
