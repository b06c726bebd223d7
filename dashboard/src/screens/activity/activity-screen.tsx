// What happens in a project now: requests, errors, rejected requests, latency and tokens of the last hour, by minute.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { messageOf } from '../../api/errors.ts'
import { request } from '../../api/management.ts'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import type { Series } from '../../ui/charts/series.ts'
import { Figures } from '../../ui/figures.tsx'
import { formatCount, formatMs } from '../../ui/numbers.ts'
import { Page, Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ErrorExplanation } from './explain-error.tsx'

type Activity = ManagementRoutes['GET /auth/v1/projects/{projectId}/activity']['output']
type Minute = Activity['minutes'][number]

/** Gateways write their counts once a second. */
const refreshMs = 2000

const activityQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'activity'],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}/activity', { path: { projectId } }),
    refetchInterval: refreshMs,
  })

export function ActivityScreen() {
  const { projectId } = useParams({ from: '/app/projects/$projectId/activity' })
  const activity = useQuery(activityQuery(projectId))
  const { data, isError, error } = activity
  return (
    <Page
      title="Activity"
      lead={
        <>
          The requests of the project’s end users in the last hour, as they end.{' '}
          <a href="/docs/gateway">What is counted</a>
        </>
      }
    >
      {isError && data !== undefined && (
        <p role="alert" dir="auto" className="text-danger">
          The figures are out of date: {messageOf(error)}
        </p>
      )}
      <Loaded query={activity} what="the activity">
        {({ totals, minutes }) => (
          <>
            <Totals totals={totals} />
            {totals.requests === 0 && <Quiet projectId={projectId} />}
            <Charts minutes={minutes} />
            <Reasons projectId={projectId} totals={totals} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const sumOf = (byReason: Record<string, number>): number =>
  Object.values(byReason).reduce((sum, count) => sum + count, 0)

function Totals({ totals }: { totals: Activity['totals'] }) {
  const { requests, errors, refusals, tokens, latency_ms: latency } = totals
  return (
    <Figures
      figures={[
        { title: 'Requests', value: formatCount(requests), note: `${formatCount(sumOf(refusals))} rejected` },
        { title: 'Failed', value: formatCount(sumOf(errors)), note: 'by providers, network, Sallyport' },
        {
          title: 'Latency',
          value: latency === null ? 'None yet' : formatMs(latency.p50),
          note: latency === null ? 'of answered completions' : `median; p95 ${formatMs(latency.p95)}`,
        },
        { title: 'Tokens', value: formatCount(tokens) },
      ]}
    />
  )
}

function Quiet({ projectId }: { projectId: string }) {
  return (
    <Empty title="No requests in the last hour">
      <p>
        They appear here within seconds. The{' '}
        <Link to="/app/projects/$projectId/first-steps" params={{ projectId }}>
          first steps
        </Link>{' '}
        send one.
      </p>
    </Empty>
  )
}

const outcomes: Series<Minute>[] = [
  {
    title: 'Answered or aborted',
    tone: 'accent',
    value: ({ requests, errors, refusals }) => Math.max(0, requests - sumOf(errors) - sumOf(refusals)),
  },
  { title: 'Rejected', tone: 'warn', value: ({ refusals }) => sumOf(refusals) },
  { title: 'Failed', tone: 'danger', value: ({ errors }) => sumOf(errors) },
]

const tokens: Series<Minute>[] = [{ title: 'Tokens', tone: 'accent', value: minute => minute.tokens }]

const latencies: Series<Minute>[] = [{ title: 'p95', tone: 'accent', value: ({ latency_ms }) => latency_ms?.p95 ?? 0 }]

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

function Charts({ minutes }: { minutes: Minute[] }) {
  const shared = {
    rows: minutes,
    labelTitle: 'Minute',
    labelOf: ({ starts_at }: Minute) => clock.format(new Date(starts_at)),
  }
  return (
    <Section title="By minute">
      <BarChart caption="Requests by minute" series={outcomes} {...shared} />
      <BarChart caption="Latency p95 by minute" series={latencies} format={formatMs} {...shared} />
      <BarChart caption="Tokens by minute" series={tokens} {...shared} />
    </Section>
  )
}

interface Reason {
  kind: 'Rejected' | 'Failed'
  reason: string
  count: number
}

const reasonColumns = (projectId: string): Column<Reason>[] => [
  { title: 'Reason', cell: ({ reason }) => <code className="whitespace-nowrap">{reason}</code> },
  { title: 'Outcome', cell: ({ kind }) => kind },
  { title: 'Requests', isNumber: true, cell: ({ count }) => formatCount(count) },
  { title: 'What to do', cell: ({ reason }) => <ErrorExplanation projectId={projectId} code={reason} /> },
]

interface ReasonsProps {
  projectId: string
  totals: Activity['totals']
}

function Reasons({ projectId, totals: { errors, refusals } }: ReasonsProps) {
  const rows = [...listReasons('Failed', errors), ...listReasons('Rejected', refusals)]
  return (
    <Section title="Rejected and failed requests by reason">
      <Table
        caption="Rejected and failed requests by reason"
        columns={reasonColumns(projectId)}
        rows={rows.sort((a, b) => b.count - a.count)}
        keyOf={({ kind, reason }) => `${kind} ${reason}`}
        empty={<p className="text-soft">None in the last hour.</p>}
      />
      <p className="text-sm text-soft">
        <a href="/docs/errors">What the reasons mean</a>
      </p>
    </Section>
  )
}

const listReasons = (kind: Reason['kind'], byReason: Record<string, number>): Reason[] =>
  Object.entries(byReason).map(([reason, count]) => ({ kind, reason, count }))
