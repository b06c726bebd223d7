// The requests of a project, newest first, with sums over the same filters.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { liveMs } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Figures } from '../../ui/figures.tsx'
import { formatCount, formatMs, formatShare } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Failure, Loaded, Loading, Updated } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { TotalCost } from '../prices/cost.tsx'
import type { RequestFilter } from './filter.ts'
import { FilterChips } from './filter-chips.tsx'
import { modelsOf, type RequestBucket, requestGroupsQuery, requestStatsQuery, requestsQuery } from './queries.ts'
import { RequestActions } from './request-actions.tsx'
import { RequestChart } from './request-chart.tsx'
import { requestColumns } from './request-columns.tsx'
import { RequestFilters } from './request-filters.tsx'
import { RequestGroups } from './request-groups.tsx'
import { useRowKeys } from './row-keys.ts'
import { SavedViews } from './saved-views.tsx'
import { useRequestSearch } from './search.ts'

const from = '/app/projects/$projectId/requests'

export function RequestsScreen() {
  const { projectId } = useParams({ from })
  const { filter } = useRequestSearch()
  return (
    <Page
      title="Requests"
      lead={
        <>
          What happened to each request: its end user, model, cost, times and error. A row has no text of its request.{' '}
          <a href="/docs/requests">What is kept</a>.
        </>
      }
      actions={<RequestActions projectId={projectId} filter={filter} />}
    >
      <RequestFilters />
      <FilterChips />
      <SavedViews key={projectId} projectId={projectId} />
      <Sums projectId={projectId} filter={filter} />
      <Rows projectId={projectId} filter={filter} />
      <RequestGroups projectId={projectId} />
    </Page>
  )
}

interface FilteredProps {
  projectId: string
  filter: RequestFilter
}

function Sums({ projectId, filter }: FilteredProps) {
  const stats = useQuery(requestStatsQuery(projectId, filter))
  const groups = useQuery(requestGroupsQuery(projectId, filter, { by: 'model', order: 'requests' }))
  return (
    <Loaded query={stats} what="the sums">
      {({ data, totals: { requests, errors, latency_ms, first_token_ms, cost_usd }, complete_from: since }) => (
        <>
          <Figures
            figures={[
              { title: 'Requests', value: formatCount(requests), note: 'also rejected and failed ones' },
              { title: 'Errors', value: formatShare(errors, requests), note: formatCount(errors) },
              timesFigure('Latency', latency_ms),
              timesFigure('First token', first_token_ms),
              {
                title: 'Cost',
                value: <TotalCost projectId={projectId} usd={cost_usd} models={modelsOf(groups.data)} />,
              },
            ]}
          />
          {filter.from === undefined && filter.to === undefined && (
            <p className="text-sm text-soft">The sums are of the last 24 hours, unless you choose a first day.</p>
          )}
          {data.length > 0 && <RequestChart projectId={projectId} buckets={data} />}
          {since !== null && (
            <p className="text-soft">
              The sums are of the requests since <Time iso={since} />: there are too many older ones.
            </p>
          )}
        </>
      )}
    </Loaded>
  )
}

function timesFigure(title: string, times: RequestBucket['latency_ms']) {
  if (times === null) return { title: `${title} p95`, value: 'None' }
  const note = `p50 ${formatMs(times.p50)}, p99 ${formatMs(times.p99)}`
  return { title: `${title} p95`, value: formatMs(times.p95), note }
}

function Rows({ projectId, filter }: FilteredProps) {
  const [isPaused, setPaused] = useState(false)
  const table = useRef<HTMLDivElement>(null)
  useRowKeys(table)
  const found = useInfiniteQuery({ ...requestsQuery(projectId, filter), refetchInterval: isPaused ? false : liveMs })
  const retry = () => void found.refetch()
  if (found.data === undefined) {
    return found.isError ? <Failure error={found.error} retry={retry} /> : <Loading what="the requests" />
  }
  const rows = found.data.pages.flatMap(({ data }) => data)
  // New requests would move the older ones on while they are read.
  const showOlder = () => {
    setPaused(true)
    void found.fetchNextPage()
  }
  return (
    <div ref={table} className="flex flex-col items-stretch gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </Button>
        <span className="text-soft">
          {isPaused ? 'New requests are not shown.' : 'New requests appear by themselves.'}
        </span>
      </div>
      {found.isError && <Failure error={found.error} retry={retry} />}
      <Updated isOutdated={found.isPlaceholderData}>
        <Table
          caption="Requests"
          isDense
          columns={requestColumns(projectId, rows)}
          rows={rows}
          keyOf={({ id }) => id}
          empty={<NoRequests isFiltered={Object.keys(filter).length > 0} />}
        />
      </Updated>
      {found.hasNextPage && (
        <p>
          <Button isBusy={found.isFetchingNextPage} onClick={showOlder}>
            Search older requests
          </Button>
        </p>
      )}
    </div>
  )
}

function NoRequests({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return <Empty title="No requests match the filters">Choose other ones, or search older requests.</Empty>
  return (
    <Empty title="No requests yet">
      <p>A request appears as soon as it has ended, unless the settings switch the request log off.</p>
    </Empty>
  )
}
