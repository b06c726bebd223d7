// The requests of the filters by hour: how many, or how long they took.
import { useState } from 'react'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import type { Series } from '../../ui/charts/series.ts'
import { SelectField } from '../../ui/fields.tsx'
import { formatCount, formatMs, formatUsd } from '../../ui/numbers.ts'
import type { RequestBucket } from './queries.ts'

interface Chart {
  caption: string
  series: Series<RequestBucket>[]
  format: (value: number) => string
}

const charts = {
  requests: {
    caption: 'Requests by hour (UTC)',
    series: [
      { title: 'Errors', tone: 'danger', value: ({ errors }) => errors },
      { title: 'Answered', tone: 'accent', value: ({ requests, errors }) => requests - errors },
    ],
    format: formatCount,
  },
  latency: {
    caption: 'Latency of 95 % by hour (UTC)',
    series: [{ title: 'Latency', tone: 'accent', value: ({ latency_ms: latency }) => latency?.p95 ?? 0 }],
    format: formatMs,
  },
  cost: {
    caption: 'Cost by hour (UTC)',
    series: [{ title: 'Cost', tone: 'accent', value: ({ cost_usd: cost }) => cost }],
    format: formatUsd,
  },
} satisfies Record<string, Chart>
type Shown = keyof typeof charts
const isShown = (value: string): value is Shown => Object.hasOwn(charts, value)

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
}

export function RequestChart({ buckets }: { buckets: readonly RequestBucket[] }) {
  const [shown, show] = useState<Shown>('requests')
  const chart: Chart = charts[shown]
  return (
    <div className="flex flex-col gap-3">
      <div className="max-w-48">
        <SelectField name="chart" label="Chart of" value={shown} onValue={value => isShown(value) && show(value)}>
          <option value="requests">Requests</option>
          <option value="latency">Latency</option>
          <option value="cost">Cost</option>
        </SelectField>
      </div>
      <BarChart {...chart} rows={hoursOf(buckets)} labelTitle="Hour (UTC)" labelOf={hourOf} />
    </div>
  )
}

const hourOf = ({ at }: RequestBucket): string => `${at.slice(0, 10)} ${at.slice(11, 16)}`
