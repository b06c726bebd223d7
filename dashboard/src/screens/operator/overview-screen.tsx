// The overview of an installation: its health, what is stopped, and what all tenants used and cost.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { daysOf, lastDays } from '../../api/days.ts'
import { Card, Cards } from '../../ui/card.tsx'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import type { Series } from '../../ui/charts/series.ts'
import { Figures } from '../../ui/figures.tsx'
import { formatCount, formatUsd } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { describeCost } from '../prices/describe-cost.ts'
import { Health } from './health.tsx'
import { useOperator } from './operator-context.tsx'
import { allUsageQuery, costNote, type UsageGroup } from './queries.ts'
import { TenantName } from './tenant-name.tsx'

const days = 30
const maxShown = 10

export function OperatorOverviewScreen() {
  const operator = useOperator()
  const period = lastDays(days)
  const byDay = useQuery(allUsageQuery(operator, { group_by: 'day', ...period }))
  const byTenant = useQuery(allUsageQuery(operator, { group_by: 'tenant', ...period }))
  return (
    <Page title="Installation" lead={`All tenants, in the last ${days} days (UTC).`}>
      <Loaded query={byDay} what="the usage">
        {({ totals, data }) => (
          <>
            <Figures
              figures={[
                { title: 'Requests', value: formatCount(totals.requests) },
                { title: 'Input tokens', value: formatCount(totals.prompt_tokens) },
                { title: 'Output tokens', value: formatCount(totals.completion_tokens) },
                { title: 'Cost', value: formatUsd(totals.cost_usd), note: costNote },
              ]}
            />
            <DayChart period={period} rows={data} />
          </>
        )}
      </Loaded>
      <Cards>
        <Health />
        <Card title="Tenants by cost" aside={<Link to="/app/operator/usage">All usage</Link>}>
          <Loaded query={byTenant} what="the tenants">
            {({ data }) => (
              <Table
                caption="Tenants by cost"
                isSmall
                columns={tenantColumns}
                rows={[...data].sort((a, b) => b.cost_usd - a.cost_usd).slice(0, maxShown)}
                keyOf={({ tenant_id: id }) => id ?? ''}
                empty={<p className="text-soft">Nothing was used yet.</p>}
              />
            )}
          </Loaded>
        </Card>
      </Cards>
    </Page>
  )
}

const tenantColumns: Column<UsageGroup>[] = [
  { title: 'Tenant', cell: ({ tenant_id }) => <TenantName id={tenant_id ?? ''} /> },
  { title: 'Requests', isNumber: true, cell: row => formatCount(row.requests) },
  { title: 'Cost', isNumber: true, cell: describeCost },
]

interface Day {
  day: string
  requests: number
}

const requests: Series<Day>[] = [{ title: 'Requests', tone: 'accent', value: row => row.requests }]

function DayChart({ period, rows }: { period: { from: string; to: string }; rows: readonly UsageGroup[] }) {
  const known = new Map(rows.map(row => [row.day, row.requests]))
  return (
    <div className="rounded-lg border border-line p-4">
      <BarChart
        caption="Requests by day (UTC)"
        rows={daysOf(period, days).map(day => ({ day, requests: known.get(day) ?? 0 }))}
        labelTitle="Day (UTC)"
        labelOf={({ day }) => day}
        series={requests}
      />
    </div>
  )
}
