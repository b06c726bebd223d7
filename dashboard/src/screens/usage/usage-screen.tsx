// The usage and cost of a project in a period: the totals, a chart by day, a table by day, model, end user,
// endpoint or tier, and the whole as a download.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { daysOf } from '../../api/days.ts'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import type { Series } from '../../ui/charts/series.ts'
import { SelectField } from '../../ui/fields.tsx'
import { Figures } from '../../ui/figures.tsx'
import { formatCount, formatUsd } from '../../ui/numbers.ts'
import { Page, Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { ProjectBudgets } from '../budgets/project-budgets.tsx'
import { TotalCost } from '../prices/cost.tsx'
import { DownloadUsage } from './download-usage.tsx'
import {
  answeredNote,
  maxDays,
  type UsageFilter,
  type UsageRow,
  type UsageTotals,
  usageDaysQuery,
  usageGroupsQuery,
} from './queries.ts'
import { UsageFilters } from './usage-filters.tsx'
import { periodOf } from './usage-search.ts'
import { UsageTable } from './usage-table.tsx'

export function UsageScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/usage' })
  const search = useSearch({ from: '/app/projects/$projectId/usage' })
  const filter = { ...periodOf(search), ...(search.uid === undefined ? {} : { uid: search.uid }) }
  const usage = useQuery(usageDaysQuery(projectId, filter))
  return (
    <Page
      title="Usage and cost"
      lead={
        <>
          What the project’s requests used and cost, by day (UTC), model, end user, endpoint and tier.{' '}
          <Link
            to="/app/projects/$projectId/usage/days"
            params={{ projectId }}
            search={{ from: filter.from, to: filter.to }}
          >
            Closed days
          </Link>{' '}
          have numbers that never change.{' '}
          <a href="/docs/account-and-projects#export-the-usage-of-a-project">About the export</a>
        </>
      }
      actions={<DownloadUsage projectId={projectId} period={filter} />}
    >
      <ProjectBudgets projectId={projectId} />
      <UsageFilters projectId={projectId} search={search} />
      <Loaded query={usage} what="the usage">
        {({ totals, data }) =>
          totals.requests === 0 ? (
            <NoUsage isFiltered={search.uid !== undefined} />
          ) : (
            <>
              <Totals projectId={projectId} filter={filter} totals={totals} />
              <DayChart days={data} filter={filter} />
              <UsageTable
                projectId={projectId}
                filter={filter}
                grouping={search.by === 'tier' && search.uid !== undefined ? 'model' : (search.by ?? 'model')}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function NoUsage({ isFiltered }: { isFiltered: boolean }) {
  return (
    <Empty title="No requests in this period">
      {isFiltered ? 'Choose another period, or remove the end user from the filter.' : 'Choose another period.'}
    </Empty>
  )
}

interface TotalsProps {
  projectId: string
  filter: UsageFilter
  totals: UsageTotals
}

function Totals({ projectId, filter, totals }: TotalsProps) {
  const groups = useInfiniteQuery(usageGroupsQuery(projectId, filter, 'model'))
  const rows = groups.data?.pages.flatMap(({ data }) => data) ?? []
  const models = rows.map(({ group, total_tokens: tokens }) => ({ model: group, tokens }))
  return (
    <Figures
      figures={[
        {
          title: 'Cost',
          value: <TotalCost projectId={projectId} usd={totals.cost_usd} models={models} />,
          note: 'at the prices of the models',
        },
        { title: 'Requests', value: formatCount(totals.requests), note: answeredNote },
        { title: 'Tokens', value: formatCount(totals.total_tokens) },
        {
          title: 'Input and output tokens',
          value: `${formatCount(totals.prompt_tokens)} + ${formatCount(totals.completion_tokens)}`,
        },
      ]}
    />
  )
}

type Measure = 'cost' | 'tokens' | 'requests'

const measures: Record<Measure, { caption: string; series: Series<UsageRow>[]; format: (value: number) => string }> = {
  cost: {
    caption: 'Cost by day',
    series: [{ title: 'Cost', tone: 'accent', value: row => row.cost_usd }],
    format: formatUsd,
  },
  tokens: {
    caption: 'Tokens by day',
    series: [
      { title: 'Input', tone: 'accent', value: row => row.prompt_tokens },
      { title: 'Output', tone: 'teal', value: row => row.completion_tokens },
    ],
    format: formatCount,
  },
  requests: {
    caption: 'Requests by day',
    series: [{ title: 'Requests', tone: 'accent', value: row => row.requests }],
    format: formatCount,
  },
}

const isMeasure = (value: string): value is Measure => Object.hasOwn(measures, value)

function DayChart({ days, filter }: { days: UsageRow[]; filter: UsageFilter }) {
  const [measure, setMeasure] = useState<Measure>('cost')
  const byDay = new Map(days.map(row => [row.day, row]))
  const shown = daysOf(filter, maxDays).map(day => byDay.get(day) ?? { ...noUsage, day })
  return (
    <Section title="By day">
      <div className="max-w-48">
        <SelectField
          name="measure"
          label="Chart of"
          value={measure}
          onValue={value => isMeasure(value) && setMeasure(value)}
        >
          <option value="cost">Cost</option>
          <option value="tokens">Tokens</option>
          <option value="requests">Requests</option>
        </SelectField>
      </div>
      <BarChart {...measures[measure]} rows={shown} labelTitle="Day (UTC)" labelOf={row => row.day ?? ''} />
      {shown.length === maxDays && <p className="text-sm text-soft">The chart shows the last {maxDays} days.</p>}
    </Section>
  )
}

const noUsage: UsageRow = {
  day: null,
  uid: null,
  model: null,
  endpoint: null,
  requests: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cost_usd: 0,
}
