// The overview of a tenant: what its projects used and cost, together and each, beside the budgets, and what happened
// lately, who belongs to it, and which alerts last.
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { daysOf } from '../../api/days.ts'
import { projectsQuery } from '../../api/queries.ts'
import { useUser } from '../../api/session.ts'
import { Card, Cards } from '../../ui/card.tsx'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import { Figures } from '../../ui/figures.tsx'
import { formatCount, formatUsd } from '../../ui/numbers.ts'
import { Awaited, Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { tenantBudgetsQuery } from '../budgets/queries.ts'
import { Spending } from '../budgets/spending.tsx'
import { TotalCost } from '../prices/cost.tsx'
import { answeredNote } from '../usage/queries.ts'
import { LatestEvents } from './latest-events.tsx'
import { ModelCosts, ProjectCosts } from './project-costs.tsx'
import { daysOfRange, usageByQuery } from './queries.ts'
import { type Range, RangeLinks } from './range-links.tsx'
import { TenantAlerts } from './tenant-alerts.tsx'
import { TenantPeople } from './tenant-people.tsx'
import { modelsIn, type ProjectUsage, seriesOf, sumOf } from './tenant-usage.ts'

const maxDays = 30

export function TenantOverviewScreen() {
  const { tenantId } = useParams({ from: '/app/tenants/$tenantId/' })
  const { range = '30d' } = useSearch({ from: '/app/tenants/$tenantId/' })
  const tenant = useUser().tenants.find(({ id }) => id === tenantId)
  const budgets = useQuery(tenantBudgetsQuery(tenantId))
  const projects = useQuery(projectsQuery(tenantId))
  return (
    <Page title={tenant?.name ?? 'Tenant'} actions={<RangeLinks range={range} />}>
      <TenantUsage tenantId={tenantId} range={range} />
      <Cards>
        <Card
          title="Spending"
          aside={
            <Link to="/app/tenants/$tenantId/budgets" params={{ tenantId }}>
              Change budgets
            </Link>
          }
        >
          <Loaded query={budgets} what="the budgets">
            {data => <Spending budgets={data} />}
          </Loaded>
        </Card>
        <LatestEvents tenantId={tenantId} />
        <TenantPeople tenantId={tenantId} />
        <TenantAlerts projects={projects.data ?? []} />
      </Cards>
    </Page>
  )
}

function TenantUsage({ tenantId, range }: { tenantId: string; range: Range }) {
  const projects = useQuery(projectsQuery(tenantId))
  return (
    <Loaded query={projects} what="projects">
      {data => <UsageOf tenantId={tenantId} key={data.map(({ id }) => id).join()} projects={data} range={range} />}
    </Loaded>
  )
}

interface UsageOfProps {
  tenantId: string
  projects: readonly { id: string; name: string }[]
  range: Range
}

function UsageOf({ tenantId, projects, range }: UsageOfProps) {
  const period = daysOfRange(range)
  const days = useQueries({ queries: projects.map(({ id }) => usageByQuery(id, period, 'day')) })
  const models = useQueries({ queries: projects.map(({ id }) => usageByQuery(id, period, 'model')) })
  const usage = projects.map(
    ({ id, name }, index): ProjectUsage => ({
      id,
      name,
      days: days[index]?.data?.data ?? [],
      models: models[index]?.data?.data ?? [],
    }),
  )
  const totals = sumOf(usage.flatMap(one => one.days))
  return (
    <>
      <Awaited queries={[...days, ...models]} />
      <Figures
        figures={[
          { title: 'Projects', value: formatCount(projects.length) },
          { title: 'Requests', value: formatCount(totals.requests), note: answeredNote },
          { title: 'Tokens', value: formatCount(totals.total_tokens) },
          {
            title: 'Cost',
            value: <TotalCost tenantId={tenantId} usd={totals.cost_usd} models={modelsIn(usage)} />,
          },
        ]}
      />
      <div className="rounded-lg border border-line p-4">
        <BarChart
          caption="Cost by day (UTC)"
          rows={daysOf(period, maxDays)}
          labelTitle="Day (UTC)"
          labelOf={day => day}
          series={seriesOf(usage)}
          format={formatUsd}
        />
      </div>
      <Cards>
        <ProjectCosts tenantId={tenantId} usage={usage} />
        <ModelCosts tenantId={tenantId} usage={usage} />
      </Cards>
    </>
  )
}
