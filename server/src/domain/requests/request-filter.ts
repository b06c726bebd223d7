// Which rows of the request log a list, a chart or an export shows.

import { dayMs } from '../day.ts'
import type { LiveConfig } from '../settings/live-config.ts'

export interface RequestFilter {
  projectId: string
  /** Epoch ms, inclusive. */
  from: number
  to: number
  uid: string | null
  model: string | null
  provider: string | null
  /** A status, or the first digit of some. */
  status: { exactly: number } | { hundreds: number } | null
  /** A code; `any`: all that failed. */
  error: string | null
  endpoint: string | null
  /** The name of a prompt. */
  prompt: string | null
  /** The type of a guardrail's event, or what it did. */
  guardrail: string | null
  feedback: 'any' | 'positive' | 'negative' | null
  minLatencyMs: number | null
  minCostNanoUsd: number | null
  tier: string | null
  thread: string | null
  /** The session of a coding agent. */
  agentSession: string | null
  agent: string | null
  /** The beginning of an id. */
  q: string | null
  kept: KeptSince
}

/** All rows of a project. */
export function everyRequestOf(projectId: string): RequestFilter {
  return {
    projectId,
    from: 0,
    to: endOfTime,
    uid: null,
    model: null,
    provider: null,
    status: null,
    error: null,
    endpoint: null,
    prompt: null,
    guardrail: null,
    feedback: null,
    minLatencyMs: null,
    minCostNanoUsd: null,
    tier: null,
    thread: null,
    agentSession: null,
    agent: null,
    q: null,
    kept: { others: 0, tiers: [] },
  }
}

/** A year that no request is of. */
export const endOfTime = Date.UTC(9999, 0, 1)

/** Since when rows can be read: those of tiers with a retention of their own, and all others. */
interface KeptSince {
  others: number
  tiers: readonly { name: string; since: number }[]
}

export function keptSince(
  { settings, tiers }: Pick<LiveConfig, 'settings' | 'tiers'>,
  now: number,
  field: 'request_log_days' | 'content_days' = 'request_log_days',
): KeptSince {
  const since = (days: number): number => startOfDay(now) - (days - 1) * dayMs
  const own = tiers.flatMap(({ name, overrides: { [field]: days } }) =>
    days === undefined ? [] : [{ name, since: since(days) }],
  )
  return { others: since(settings[field]), tiers: own }
}

export function isKept({ at, tier }: { at: number; tier: string | null }, { others, tiers }: KeptSince): boolean {
  return at >= (tiers.find(({ name }) => name === tier)?.since ?? others)
}

export function earliest({ others, tiers }: KeptSince): number {
  return Math.min(others, ...tiers.map(({ since }) => since))
}

export function startOfDay(at: number): number {
  return Math.floor(at / dayMs) * dayMs
}
