// The requests of the filters by hour: how many, or how long they took.
import { useState } from 'react'
import { BarChart, type Series } from '../../ui/bar-chart.tsx'
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

/** A week. */
const maxHours = 168

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
      <BarChart {...chart} rows={buckets.slice(-maxHours)} labelTitle="Hour (UTC)" labelOf={hourOf} />
      {buckets.length > maxHours && (
        <p className="text-sm text-soft">The chart shows the last {maxHours} hours with requests.</p>
      )}
    </div>
  )
}

const hourOf = ({ at }: RequestBucket): string => `${at.slice(0, 10)} ${at.slice(11, 16)}`
