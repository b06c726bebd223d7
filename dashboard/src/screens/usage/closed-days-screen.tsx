// The usage of a project by day and model, as it was when the day was closed: for invoices, whose numbers must not
// change later. Period and page are in the address.
import type { ManagementRoutes } from '@sallyport/sdk'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Period } from '../../api/days.ts'
import { request } from '../../api/management.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatCount } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Pager } from '../../ui/tables/pager.tsx'
import { Time } from '../../ui/time.tsx'
import { DayFields } from '../events/day-fields.tsx'
import { Cost } from '../prices/cost.tsx'
import { type ClosedDaysSearch, periodOf, readClosedDaysSearch } from './usage-search.ts'

const from = '/app/projects/$projectId/usage/days'
const route = '/auth/v1/projects/{projectId}/usage/rollups'

type Rollup = ManagementRoutes[`GET ${typeof route}`]['output']['data'][number]

const rollupsQuery = (projectId: string, query: Period & { cursor?: string }) =>
  queryOptions({
    queryKey: ['project', projectId, 'usage', 'rollups', query],
    queryFn: () => request('GET', route, { path: { projectId }, query }),
    placeholderData: keepPreviousData,
  })

export function ClosedDaysScreen() {
  const { projectId } = useParams({ from })
  const search = useSearch({ from })
  const navigate = useNavigate({ from })
  const { cursor, ...withoutCursor } = search
  const period = periodOf(search)
  const rollups = useQuery(rollupsQuery(projectId, { ...period, ...(cursor === undefined ? {} : { cursor }) }))
  const show = (next: ClosedDaysSearch, replace = false) => void navigate({ search: next, replace })
  return (
    <Page
      title="Closed days"
      lead={
        <>
          Usage by day (UTC) and model, for invoices: the numbers of a closed day never change.{' '}
          <a href="/docs/account-and-projects#read-rollups-of-closed-days">When a day is closed</a> ·{' '}
          <Link to="/app/projects/$projectId/usage" params={{ projectId }} search={period}>
            Usage and cost
          </Link>
        </>
      }
    >
      <search className="flex flex-wrap items-end gap-4">
        <DayFields
          days={period}
          change={changed => show(readClosedDaysSearch({ ...withoutCursor, ...changed }), true)}
        />
      </search>
      <Loaded query={rollups} what="the usage">
        {({ data, next_cursor: next }) => (
          <>
            <Table
              caption="Usage by day and model"
              columns={columnsOf(projectId)}
              rows={data}
              keyOf={({ day, model }) => `${day} ${model}`}
              empty={<Empty title="No requests in this period">Choose other days.</Empty>}
              fileName="closed-days"
              isPart={cursor !== undefined || next !== null}
            />
            <Pager
              cursor={cursor}
              next={next}
              go={to => show(to === undefined ? withoutCursor : { ...withoutCursor, cursor: to })}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const columnsOf = (projectId: string): Column<Rollup>[] => [
  { title: 'Day (UTC)', value: ({ day }) => day, cell: ({ day }) => day },
  { title: 'Model', value: ({ model }) => model, cell: ({ model }) => <bdi>{model}</bdi> },
  {
    title: 'Requests',
    isNumber: true,
    value: ({ requests }) => requests,
    cell: ({ requests }) => formatCount(requests),
  },
  {
    title: 'Input tokens',
    isNumber: true,
    value: row => row.prompt_tokens,
    cell: row => formatCount(row.prompt_tokens),
  },
  {
    title: 'Output tokens',
    isNumber: true,
    value: row => row.completion_tokens,
    cell: row => formatCount(row.completion_tokens),
  },
  {
    title: 'Cost',
    isNumber: true,
    value: row => row.cost_usd,
    cell: ({ model, total_tokens: tokens, cost_usd: usd }) => (
      <Cost projectId={projectId} model={model} tokens={tokens} usd={usd} />
    ),
  },
  {
    title: 'Closed',
    value: ({ closed_at: at }) => at,
    cell: ({ closed_at: at }) => (at === null ? <Badge tone="warn">Open</Badge> : <Time iso={at} />),
  },
]
