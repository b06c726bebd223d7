// Two periods of requests side by side: what a deployment, or a day, has changed.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lastDays, type Period } from '../../api/days.ts'
import { SelectField, TextField } from '../../ui/fields.tsx'
import { formatCount, formatMs, formatPoints, formatShare, formatUsd } from '../../ui/numbers.ts'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { deploymentsQuery } from '../settings/queries.ts'
import { aroundTime, type Compared, type Comparison, periodQuery, readComparison, windows } from './compare-query.ts'

const from = '/app/projects/$projectId/requests/compare'

export function CompareScreen() {
  const { projectId } = useParams({ from })
  const search = useSearch({ from })
  const deployments = useInfiniteQuery(deploymentsQuery(projectId))
  return (
    <Page title="Compare requests" lead="Two periods side by side: around a deployment, or of days in UTC.">
      <Loaded query={deployments} what="the deployments">
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data)
          const chosen = all.find(({ number }) => number === search.deployment)
          const hours = search.hours ?? 24
          const periods = chosen === undefined ? daysOf(search) : aroundTime(chosen.deployed_at, hours)
          return (
            <>
              <Choice search={search} numbers={all.map(({ number }) => number)} />
              <Periods projectId={projectId} periods={periods} by={chosen === undefined ? 'hour' : 'minute'} />
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

/** Yesterday and today, if no days are chosen. */
function daysOf({ from: first, to, other_from, other_to }: Comparison): [Period, Period] {
  const { from: yesterday, to: today } = lastDays(2)
  return [
    { from: first ?? to ?? yesterday, to: to ?? first ?? yesterday },
    { from: other_from ?? other_to ?? today, to: other_to ?? other_from ?? today },
  ]
}

function Choice({ search, numbers }: { search: Comparison; numbers: readonly number[] }) {
  const navigate = useNavigate({ from })
  const change = (changed: Record<string, string>) =>
    void navigate({ search: readComparison({ ...search, ...changed }), replace: true })
  return (
    <search className="flex flex-wrap items-end gap-4">
      <SelectField
        name="deployment"
        label="Deployment"
        value={search.deployment ?? ''}
        onValue={deployment => change({ deployment })}
      >
        <option value="">None: days</option>
        {numbers.map(number => (
          <option key={number} value={number}>
            {number}
          </option>
        ))}
      </SelectField>
      {search.deployment === undefined ? (
        <DayFields search={search} change={change} />
      ) : (
        <SelectField
          name="hours"
          label="Before and after"
          value={search.hours ?? 24}
          onValue={hours => change({ hours })}
        >
          {windows.map(hours => (
            <option key={hours} value={hours}>
              {hours === 1 ? '1 hour' : `${hours} hours`}
            </option>
          ))}
        </SelectField>
      )}
    </search>
  )
}

const dayLabels = {
  from: 'First period from',
  to: 'First period until',
  other_from: 'Second period from',
  other_to: 'Second period until',
} as const

function DayFields({ search, change }: { search: Comparison; change: (changed: Record<string, string>) => void }) {
  const [one, other] = daysOf(search)
  const shown = { from: one.from, to: one.to, other_from: other.from, other_to: other.to }
  return (Object.keys(dayLabels) as (keyof typeof dayLabels)[]).map(name => (
    <TextField
      key={`${name} ${shown[name]}`}
      name={name}
      label={dayLabels[name]}
      type="date"
      defaultValue={shown[name]}
      onValue={day => change({ [name]: day })}
    />
  ))
}

interface PeriodsProps {
  projectId: string
  periods: [Period, Period]
  by: 'minute' | 'hour'
}

function Periods({ projectId, periods: [one, other], by }: PeriodsProps) {
  const first = useQuery(periodQuery(projectId, one, by))
  const second = useQuery(periodQuery(projectId, other, by))
  return (
    <Loaded query={first} what="the first period">
      {before => (
        <Loaded query={second} what="the second period">
          {after => (
            <>
              <Table
                caption="Both periods"
                isSmall
                columns={columnsOf(before, after)}
                rows={measures}
                keyOf={({ title }) => title}
                empty={null}
              />
              {[before.since, after.since].map(
                (since, index) =>
                  since !== null && (
                    <p key={index === 0 ? 'first' : 'second'} className="text-soft">
                      The {index === 0 ? 'first' : 'second'} period is counted since <Time iso={since} />: it has too
                      many older requests.
                    </p>
                  ),
              )}
            </>
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

interface Measure {
  title: string
  value: (compared: Compared) => number
  format: (value: number) => string
  /** The change is in points, not in percent of the first share. */
  isShare?: true
}

const share = (title: string, of: (compared: Compared) => number): Measure => ({
  title,
  value: compared => (compared.requests === 0 ? 0 : of(compared) / compared.requests),
  format: value => formatShare(value, 1),
  isShare: true,
})

const measures: Measure[] = [
  { title: 'Requests', value: ({ requests }) => requests, format: formatCount },
  share('Errors', ({ errors }) => errors),
  share('Rejected (4xx)', ({ refused }) => refused),
  share('Blocked by guardrails', ({ blocked }) => blocked),
  { title: 'Latency p50', value: ({ latency_ms }) => latency_ms?.p50 ?? 0, format: formatMs },
  { title: 'Latency p95', value: ({ latency_ms }) => latency_ms?.p95 ?? 0, format: formatMs },
  { title: 'Latency p99', value: ({ latency_ms }) => latency_ms?.p99 ?? 0, format: formatMs },
  { title: 'Cost', value: ({ cost_usd }) => cost_usd, format: formatUsd },
  {
    title: 'Cost per request',
    value: ({ cost_usd, requests }) => (requests === 0 ? 0 : cost_usd / requests),
    format: formatUsd,
  },
  { title: 'Input tokens', value: ({ tokens }) => tokens.prompt, format: formatCount },
  { title: 'Output tokens', value: ({ tokens }) => tokens.completion, format: formatCount },
  { title: 'Positive feedback', value: ({ liked }) => liked, format: formatCount },
  { title: 'Negative feedback', value: ({ disliked }) => disliked, format: formatCount },
]

function columnsOf(before: Compared, after: Compared): Column<Measure>[] {
  return [
    { title: 'Measure', cell: ({ title }) => title },
    { title: 'First', isNumber: true, cell: ({ value, format }) => format(value(before)) },
    { title: 'Second', isNumber: true, cell: ({ value, format }) => format(value(after)) },
    { title: 'Change', isNumber: true, cell: ({ value, isShare }) => changeOf(value(before), value(after), isShare) },
  ]
}

function changeOf(before: number, after: number, isShare = false): string {
  if (before === after) return 'None'
  const sign = after > before ? '+' : '−'
  if (isShare) return sign + formatPoints(Math.abs(after - before))
  return before === 0 ? 'New' : sign + formatShare(Math.abs(after - before), before)
}
