// The tables of usage by day, and of closed days, a part of schema.ts.

import type { EndpointName } from '../../domain/conversation/operations.ts'

export interface RollupTables {
  /** The sums of the records, written with them; never deleted. */
  usage_days: {
    project_id: string
    day: string
    user_id: string
    model: string
    requests: number
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
    cost_nanousd: number
  }
  /** The sums of the records by tier, '' for none; written with them, never deleted. */
  usage_tiers: {
    project_id: string
    day: string
    tier: string
    requests: number
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
    cost_nanousd: number
  }
  /** The part of `usage_days` that is not chat completions, by endpoint; written with it, never deleted. */
  usage_endpoints: {
    project_id: string
    day: string
    user_id: string
    model: string
    endpoint: EndpointName
    requests: number
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
    cost_nanousd: number
  }
  /** The days that are closed, or being closed: for all projects at once, one after the other. Never deleted. */
  usage_closings: {
    day: string // YYYY-MM-DD, UTC
    closed_at: number | null // null while projects are still rolled up
  }
  /** What the day's rollup counts. Never changed after the day was closed, and never deleted before its project. */
  usage_rollups: {
    project_id: string
    day: string
    model: string
    usage_day: string // the day of the usage: earlier than `day` if it was written after its own day was closed
    requests: number
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
    cost_nanousd: number
  }
}
