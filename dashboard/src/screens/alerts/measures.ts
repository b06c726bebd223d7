// What an alert can be about, by its names for people.
import { formatCount, formatMs, formatShare, formatUsd } from '../../ui/numbers.ts'
import type { Measure } from './queries.ts'

interface MeasureNames {
  title: string
  /** Of the value above which the alert begins. */
  unit: string
  format: (over: number) => string
  /** How many of the unit are one of the API. */
  scale?: number
}

export const measureNames: Record<Measure, MeasureNames> = {
  error_rate: { title: 'Error rate', unit: '%', scale: 100, format: over => formatShare(over, 1) },
  p95_latency_ms: { title: 'Latency p95', unit: 'ms', format: formatMs },
  first_token_ms: { title: 'First token p95', unit: 'ms', format: formatMs },
  cost_usd: { title: 'Cost', unit: 'USD', format: formatUsd },
  requests: { title: 'Requests', unit: 'requests', format: formatCount },
  guardrail_blocks: { title: 'Blocked by guardrails', unit: 'requests', format: formatCount },
  feedback: { title: 'Negative feedback', unit: 'requests', format: formatCount },
}

export const measures = Object.keys(measureNames) as Measure[]
