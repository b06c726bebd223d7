// The traffic of a project: its figures beside those of the period before, and its requests by outcome.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import type { Series } from '../../ui/charts/series.ts'
import { Figures } from '../../ui/figures.tsx'
import { formatCount, formatMs, formatShare } from '../../ui/numbers.ts'
import { Awaited } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { TotalCost } from '../prices/cost.tsx'
import { modelsOf, requestGroupsQuery } from '../requests/queries.ts'
import { describeChange } from './change.ts'
import { type Bucket, labelOfSlot, type Slots, type Stats, slotsBefore, slotsOf, statsQuery } from './queries.ts'
import { type Range, rangeNames } from './range-links.tsx'

export function Traffic({ projectId, range }: { projectId: string; range: Range }) {
  const slots = slotsOf(range)
  const before = slotsBefore(slots)
  const stats = useQuery(statsQuery(projectId, slots))
  const earlier = useQuery(statsQuery(projectId, before))
  const failed = useQuery(statsQuery(projectId, slots, '5xx'))
  return (
    <Loaded query={stats} what="the requests">
      {data => (
        <>
          <Awaited queries={[earlier, failed]} />
          <Sums
            projectId={projectId}
            from={slots.starts[0] ?? 0}
            totals={data.totals}
            before={earlier.data?.totals}
            range={range}
          />
          {data.totals.requests === 0 ? (
            <Quiet projectId={projectId} range={range} />
          ) : (
            <Outcomes
              rows={joinSlots(slots, { all: data, failed: failed.data, before: earlier.data, earlier: before })}
              by={slots.by}
            />
          )}
        </>
      )}
    </Loaded>
  )
}

type Totals = Stats['totals']

const tokensOf = ({ tokens }: Totals): number => tokens.prompt + tokens.completion

interface SumsProps {
  projectId: string
  /** When the period begins. */
  from: number
  totals: Totals
  before: Totals | undefined
  range: Range
}

function Sums({ projectId, from, totals, before, range }: SumsProps) {
  const first = new Date(from).toISOString()
  const models = useQuery(requestGroupsQuery(projectId, { from: first }, { by: 'model', order: 'requests' }))
  const note = (of: (sums: Totals) => number | null, isShare = false): string => {
    const earlier = before === undefined || before.requests === 0 ? null : of(before)
    return describeChange(of(totals), earlier, `the ${rangeNames[range]} before`, isShare)
  }
  const errorRate = ({ errors, requests }: Totals): number | null => (requests === 0 ? null : errors / requests)
  const p95 = ({ latency_ms }: Totals): number | null => latency_ms?.p95 ?? null
  const latency = p95(totals)
  return (
    <Figures
      figures={[
        { title: 'Requests', value: formatCount(totals.requests), note: note(sums => sums.requests) },
        {
          title: 'Errors',
          value: formatShare(totals.errors, totals.requests),
          note: note(errorRate, true),
        },
        { title: 'Latency p95', value: latency === null ? '–' : formatMs(latency), note: note(p95) },
        { title: 'Tokens', value: formatCount(tokensOf(totals)), note: note(tokensOf) },
        {
          title: 'Cost',
          value: <TotalCost projectId={projectId} usd={totals.cost_usd} models={modelsOf(models.data)} />,
          note: note(sums => sums.cost_usd),
        },
      ]}
    />
  )
}

function Quiet({ projectId, range }: { projectId: string; range: Range }) {
  return (
    <Empty title={`No requests in the last ${rangeNames[range]}`}>
      <p>
        The{' '}
        <Link to="/app/projects/$projectId/first-steps" params={{ projectId }}>
          first steps
        </Link>{' '}
        send one, and give you the code for your application.
      </p>
    </Empty>
  )
}

interface Slot {
  at: number
  requests: number
  rejected: number
  failed: number
  before: number
}

interface Known {
  all: Stats
  failed: Stats | undefined
  before: Stats | undefined
  earlier: Slots
}

/** A row for each column, also for those without a request. */
function joinSlots({ starts }: Slots, { all, failed, before, earlier }: Known): Slot[] {
  const [total, broken, old] = [all, failed, before].map(stats => byStart(stats?.data ?? []))
  return starts.map((at, index) => {
    const { requests = 0, errors = 0 } = total?.get(at) ?? {}
    const failures = Math.min(errors, broken?.get(at)?.requests ?? 0)
    const then = old?.get(earlier.starts[index] ?? 0)?.requests ?? 0
    return { at, requests, failed: failures, rejected: errors - failures, before: then }
  })
}

const byStart = (buckets: readonly Bucket[]): Map<number, Bucket> =>
  new Map(buckets.map(bucket => [Date.parse(bucket.at), bucket]))

const outcomes: Series<Slot>[] = [
  { title: 'Answered', tone: 'accent', value: ({ requests, rejected, failed }) => requests - rejected - failed },
  { title: 'Rejected', tone: 'warn', value: ({ rejected }) => rejected },
  { title: 'Failed', tone: 'danger', value: ({ failed }) => failed },
]

function Outcomes({ rows, by }: { rows: readonly Slot[]; by: Slots['by'] }) {
  return (
    <div className="rounded-lg border border-line p-4">
      <BarChart
        caption={by === 'hour' ? 'Requests by hour (UTC)' : 'Requests by day (UTC)'}
        rows={rows}
        labelTitle={by === 'hour' ? 'Hour (UTC)' : 'Day (UTC)'}
        labelOf={({ at }) => labelOfSlot(at, by)}
        {...(by === 'hour' && { tickOf: ({ at }: Slot) => labelOfSlot(at, by).slice(11) })}
        series={outcomes}
        before={{ title: 'Period before', value: ({ before }) => before }}
      />
    </div>
  )
}
