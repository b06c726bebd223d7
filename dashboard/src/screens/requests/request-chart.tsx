// The requests of the filters by hour, or by day in a long period: how many, how long they took, or what they cost.
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import { fillPeriod, unitOf } from '../../ui/charts/periods.ts'
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
    caption: 'Requests',
    series: [
      { title: 'Errors', tone: 'danger', value: ({ errors }) => errors },
      { title: 'Answered', tone: 'accent', value: ({ requests, errors }) => requests - errors },
    ],
    format: formatCount,
  },
  latency: { caption: 'Latency p95', ...timesOf(bucket => bucket.latency_ms) },
  first_token: { caption: 'First token p95 of streams', ...timesOf(bucket => bucket.first_token_ms) },
  tokens: {
    caption: 'Tokens',
    series: [
      { title: 'Input', tone: 'accent', value: ({ tokens }) => tokens.prompt },
      { title: 'Output', tone: 'teal', value: ({ tokens }) => tokens.completion },
    ],
    format: formatCount,
  },
  cost: {
    caption: 'Cost',
    series: [{ title: 'Cost', tone: 'accent', value: ({ cost_usd: cost }) => cost }],
    format: formatUsd,
  },
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
  const { search, filter, change } = useRequestSearch()
  const shown = search.chart ?? 'requests'
  const chart = charts[shown]
  const unit = unitOf(filter)
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
      <BarChart
        {...chart}
        caption={`${chart.caption} by ${unit} (UTC)`}
        rows={fillPeriod(buckets, filter, { now: Date.now(), empty: noRequests })}
        labelTitle={unit === 'hour' ? 'Hour (UTC)' : 'Day (UTC)'}
        labelOf={({ at }) => (unit === 'hour' ? `${at.slice(0, 10)} ${at.slice(11, 16)}` : at.slice(0, 10))}
      />
    </div>
  )
}
