// The requests of the filters by hour, or by day in a long period: how many, how long they took, or what they cost.
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { BarChart } from '../../ui/charts/bar-chart.tsx'
import { fillPeriod, unitOf } from '../../ui/charts/periods.ts'
import type { BeforeSeries, Series } from '../../ui/charts/series.ts'
import { formatCount, formatMs, formatUsd } from '../../ui/numbers.ts'
import type { RequestFilter } from './filter.ts'
import { type RequestBucket, requestStatsQuery } from './queries.ts'
import { type ChartName, useRequestSearch } from './search.ts'

/** Errors are the requests that were rejected and those that failed. */
type Bar = RequestBucket & { failed: number }

interface Chart {
  caption: string
  series: Series<Bar>[]
  before?: BeforeSeries<Bar>
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
      { title: 'Answered', tone: 'accent', value: ({ requests, errors }) => requests - errors },
      { title: 'Rejected', tone: 'warn', value: ({ errors, failed }) => errors - failed },
      { title: 'Failed', tone: 'danger', value: ({ failed }) => failed },
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
  failed: 0,
  tokens: { prompt: 0, cached: 0, completion: 0, reasoning: 0 },
  cost_usd: 0,
  latency_ms: null,
  first_token_ms: null,
}

interface RequestChartProps {
  projectId: string
  buckets: readonly RequestBucket[]
}

/** By the start of the bucket; of no other status than the filter's. */
function useFailed({ projectId, buckets }: RequestChartProps, filter: RequestFilter): Map<string, number> {
  const { status } = filter
  const isOfAll = status === undefined
  const hasErrors = buckets.some(({ errors }) => errors > 0)
  const failed = useQuery({
    ...requestStatsQuery(projectId, { ...filter, status: '5xx' }),
    enabled: isOfAll && hasErrors,
  })
  const ofStatus = status?.startsWith('5') ? buckets : []
  return new Map((isOfAll ? (failed.data?.data ?? []) : ofStatus).map(({ at, requests }) => [at, requests]))
}

export function RequestChart({ projectId, buckets }: RequestChartProps) {
  const { search, filter } = useRequestSearch()
  const shown = search.chart ?? 'requests'
  const chart = charts[shown]
  const unit = unitOf(filter)
  const failed = useFailed({ projectId, buckets }, filter)
  const bars = buckets.map(bucket => ({ ...bucket, failed: Math.min(bucket.errors, failed.get(bucket.at) ?? 0) }))
  const drawn = (
    <BarChart
      {...chart}
      size="low"
      caption={`${chart.caption} by ${unit} (UTC)`}
      rows={fillPeriod(bars, filter, { now: Date.now(), empty: noRequests })}
      labelTitle={unit === 'hour' ? 'Hour (UTC)' : 'Day (UTC)'}
      labelOf={({ at }) => (unit === 'hour' ? `${at.slice(0, 10)} ${at.slice(11, 16)}` : at.slice(0, 10))}
    />
  )
  if (useIsWide()) return drawn
  return (
    <details>
      <summary className="py-1 font-medium">Chart</summary>
      {drawn}
    </details>
  )
}

/** Wider than a phone. */
function useIsWide(): boolean {
  return useSyncExternalStore(
    listener => {
      wide.addEventListener('change', listener)
      return () => wide.removeEventListener('change', listener)
    },
    () => wide.matches,
  )
}

const wide = matchMedia('(min-width: 40rem)')
