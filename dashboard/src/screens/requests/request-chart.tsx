// The requests of the filters by hour: how many, how long they took, or what they cost.
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import type { BeforeSeries, Series } from '../../ui/charts/series.ts'
import { SelectField } from '../../ui/fields.tsx'
import { formatCount, formatMs, formatUsd } from '../../ui/numbers.ts'
import type { RequestBucket } from './queries.ts'
import { type ChartName, chartNames, useRequestSearch } from './search.ts'

interface Chart {
  caption: string
  series: Series<RequestBucket>[]
  before?: BeforeSeries<RequestBucket>
  format: (value: number) => string
}

type Percentiles = RequestBucket['latency_ms']

/** A bar for p95, a line for p50. */
function timesOf(of: (bucket: RequestBucket) => Percentiles): Pick<Chart, 'series' | 'before' | 'format'> {
  return {
    series: [{ title: 'p95', tone: 'accent', value: bucket => of(bucket)?.p95 ?? 0 }],
    before: { title: 'p50', value: bucket => of(bucket)?.p50 ?? 0 },
    format: formatMs,
  }
}

const charts: Record<ChartName, Chart> = {
  requests: {
    caption: 'Requests by hour (UTC)',
    series: [
      { title: 'Errors', tone: 'danger', value: ({ errors }) => errors },
      { title: 'Answered', tone: 'accent', value: ({ requests, errors }) => requests - errors },
    ],
    format: formatCount,
  },
  latency: { caption: 'Latency p95 by hour (UTC)', ...timesOf(bucket => bucket.latency_ms) },
  first_token: { caption: 'First token p95 of streams by hour (UTC)', ...timesOf(bucket => bucket.first_token_ms) },
  tokens: {
    caption: 'Tokens by hour (UTC)',
    series: [
      { title: 'Input', tone: 'accent', value: ({ tokens }) => tokens.prompt },
      { title: 'Output', tone: 'teal', value: ({ tokens }) => tokens.completion },
    ],
    format: formatCount,
  },
  cost: {
    caption: 'Cost by hour (UTC)',
    series: [{ title: 'Cost', tone: 'accent', value: ({ cost_usd: cost }) => cost }],
    format: formatUsd,
  },
}

const hourMs = 3_600_000
/** A day at least, a week at most. */
const [minHours, maxHours] = [24, 168]

/** Up to the last hour with requests; those between, without any, too. */
function hoursOf(buckets: readonly RequestBucket[]): RequestBucket[] {
  const known = new Map(buckets.map(bucket => [Date.parse(bucket.at), bucket]))
  const times = [...known.keys()]
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const count = Math.min(maxHours, Math.max(minHours, (last - first) / hourMs + 1))
  return Array.from({ length: count }, (_none, index) => {
    const at = last - (count - 1 - index) * hourMs
    return known.get(at) ?? { ...noRequests, at: new Date(at).toISOString() }
  })
}

const noRequests = {
  requests: 0,
  errors: 0,
  tokens: { prompt: 0, cached: 0, completion: 0, reasoning: 0 },
  cost_usd: 0,
  latency_ms: null,
  first_token_ms: null,
}

export function RequestChart({ buckets }: { buckets: readonly RequestBucket[] }) {
  const { search, change } = useRequestSearch()
  const shown = search.chart ?? 'requests'
  return (
    <div className="flex flex-col gap-3">
      <div className="max-w-48">
        <SelectField name="chart" label="Chart of" value={shown} onValue={chart => void change({ chart })}>
          {Object.entries(chartNames).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </SelectField>
      </div>
      <BarChart {...charts[shown]} rows={hoursOf(buckets)} labelTitle="Hour (UTC)" labelOf={hourOf} />
    </div>
  )
}

const hourOf = ({ at }: RequestBucket): string => `${at.slice(0, 10)} ${at.slice(11, 16)}`
