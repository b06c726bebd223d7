// Sums up a project's guardrail events for people: how many requests the guardrails would block or mask, of which
// kinds, and how many end users that touches. Shadow and enforce mode count alike.

import { parseJson } from '../json-object.ts'
import { type SentinelThreshold, sentinelThresholds } from '../settings/settings.ts'
import { outcomeOf } from './sentinel-threshold.ts'

/** What the report reads of an event. */
interface ReportedEvent {
  type: string
  direction: string
  mode: string
  action_taken: string
  entity_types: string | null
  pattern_family: string | null
  score: string | null
  request_id: string
  user_hash: string | null
  happened_at: number
}

interface ReportedRequest {
  day: string
  wouldBlock: boolean
  wouldMask: boolean
  /** A guardrail has rejected it, so it has no row of usage. */
  isRejected: boolean
  types: Set<string>
}

interface DayCounts {
  requests: number
  would_block: number
  would_mask: number
}

export interface GuardrailReport extends DayCounts {
  by_type: Record<string, number>
  by_family: Record<string, number>
  /** Requests of a jailbreak that each threshold would block. */
  by_threshold: Record<SentinelThreshold, number>
  /** Requests with a jailbreak that was reported and not blocked, because its score is below the threshold. */
  flagged: number
  users_touched: number
  /** Newest first; days without requests are left out. */
  by_day: ({ day: string } & DayCounts)[]
}

export class GuardrailTally {
  readonly #requests = new Map<string, ReportedRequest>()
  readonly #users = new Set<string>()
  readonly #types = new Map<string, number>()
  readonly #families = new Map<string, number>()
  readonly #thresholds = new Map<SentinelThreshold, number>(sentinelThresholds.map(name => [name, 0]))
  #flagged = 0

  /** Each guardrail reports a request, and its answer, at most once for each type of event. */
  add(event: ReportedEvent): void {
    const day = new Date(event.happened_at).toISOString().slice(0, 10)
    const known = this.#requests.get(event.request_id)
    const types = known?.types ?? new Set<string>()
    this.#requests.set(event.request_id, {
      // Events of a request at midnight may be of two days.
      day: known?.day ?? day,
      wouldBlock: known?.wouldBlock === true || isBlocking(event),
      wouldMask: known?.wouldMask === true || isMasking(event),
      // A blocked answer has cost tokens, so its request has a row of usage.
      isRejected: known?.isRejected === true || (event.action_taken === 'blocked' && event.direction === 'input'),
      types,
    })
    if (event.user_hash !== null) this.#users.add(event.user_hash)
    for (const type of typesOf(event)) {
      // A type may be in the request and in its answer.
      if (!types.has(type)) raise(this.#types, type)
      types.add(type)
    }
    if (event.pattern_family !== null) raise(this.#families, event.pattern_family)
    if (event.type === 'sentinel_jailbreak') this.#addJailbreak(event)
  }

  /** Events without a score are from before the thresholds; all of them were blocked, or would have been. */
  #addJailbreak({ action_taken, score }: ReportedEvent): void {
    if (action_taken === 'flagged') this.#flagged++
    const known = score === null ? 1 : Number(score)
    for (const name of sentinelThresholds) if (outcomeOf(known, name) === 'block') raise(this.#thresholds, name)
  }

  /** `answered`: the rows of usage by day. */
  sum(answered: readonly { day: string | null; requests: number }[]): GuardrailReport {
    const days = new Map<string, DayCounts>()
    const countsOf = (day: string): DayCounts => {
      const counts = days.get(day) ?? { requests: 0, would_block: 0, would_mask: 0 }
      days.set(day, counts)
      return counts
    }
    for (const { day, requests } of answered) countsOf(day ?? '').requests += requests
    for (const { day, wouldBlock, wouldMask, isRejected } of this.#requests.values()) {
      const counts = countsOf(day)
      if (isRejected) counts.requests += 1
      if (wouldBlock) counts.would_block += 1
      else if (wouldMask) counts.would_mask += 1
    }
    const all = [...days.values()]
    const total = (field: keyof DayCounts) => all.reduce((sum, counts) => sum + counts[field], 0)
    return {
      requests: total('requests'),
      would_block: total('would_block'),
      would_mask: total('would_mask'),
      by_type: sorted(this.#types),
      by_family: sorted(this.#families),
      by_threshold: Object.fromEntries(this.#thresholds) as Record<SentinelThreshold, number>,
      flagged: this.#flagged,
      users_touched: this.#users.size,
      by_day: [...days].sort(([a], [b]) => (a < b ? 1 : -1)).map(([day, counts]) => ({ day, ...counts })),
    }
  }
}

function isBlocking({ type, action_taken }: ReportedEvent): boolean {
  return type !== 'pii_detection' && action_taken !== 'flagged'
}

/** Under an enforced guardrail, a match that cannot be replaced, such as one in a name, is only reported. */
function isMasking({ type, mode, action_taken }: ReportedEvent): boolean {
  return type === 'pii_detection' && (mode === 'shadow' || action_taken !== 'detected')
}

function typesOf({ entity_types }: ReportedEvent): string[] {
  const types = entity_types === null ? [] : parseJson(entity_types)
  return Array.isArray(types) ? types.map(String) : []
}

function raise<Name extends string>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** The most frequent first. */
function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)))
}
