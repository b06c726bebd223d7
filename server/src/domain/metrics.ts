// What is counted and timed, as intentions: the caller says what happened, and where that is kept is not its business.
// Nothing here takes a tenant, a project, a user or a text: what cannot be said cannot leak into a label or a span.

import type { FaultClass } from './conversation/provider-fault.ts'
import type { Restriction } from './end-users/restrictions.ts'
import type { GuardrailName } from './guardrails/guardrails.ts'
import type { Provider } from './provider.ts'

/** What one guardrail made of one request: the strongest, where several came together. */
export const guardrailVerdicts = ['passed', 'detected', 'masked', 'redacted', 'blocked', 'unavailable'] as const
export type GuardrailVerdict = (typeof guardrailVerdicts)[number]

/** Rows of usage: in the database, on the store's shelf until then, or lost. */
export const usageRowOutcomes = ['written', 'shelved', 'dropped'] as const
export const eventOutcomes = ['stored', 'dropped', 'failed'] as const
export const jobOutcomes = ['done', 'failed', 'cut_short'] as const
export const dnsActions = ['register', 'remove'] as const

/** How a try at a provider came to its end. */
export type AnswerEnd =
  | 'complete'
  | FaultClass
  | 'client_gone'
  | 'service_disabled'
  | Restriction
  | 'server_shutting_down'
  /** A fault of our own. */
  | 'internal'

/** Times are milliseconds. All of it takes well under a microsecond, never throws and never waits. */
export interface Metrics {
  /** A guardrail has looked at the text of one request. */
  guarded(guardrail: GuardrailName, verdict: GuardrailVerdict, ms: number): void
  /** An earlier verdict on the same text was used again. */
  verdictReused(guardrail: GuardrailName): void
  /** A completion whose target is chosen. `request` is the one that came through the listener. */
  watchCall(request: object, call: WatchedCall): CallWatch
  usageRows(outcome: (typeof usageRowOutcomes)[number], rows: number): void
  queried(ms: number, isFailed: boolean): void
  /** One intention of the key-value store, by the name it has in its contract. */
  storeAsked(intention: string, ms: number, isFailed: boolean): void
  admitted(outcome: string): void
  eventEmitted(outcome: (typeof eventOutcomes)[number]): void
  /** A project's document that this copy goes by from now on. */
  configSeen(revision: number): void
  /** `on`: how many are, by their scope. */
  killSwitchesSeen(revision: number, on: Record<'global' | 'tenant' | 'project', number>): void
  jobEnded(job: string, outcome: (typeof jobOutcomes)[number], ms: number): void
  /** One try at a project's host names; the outcome is `done`, or a word for the failure. */
  dnsTried(action: (typeof dnsActions)[number], outcome: string): void
}

export interface WatchedCall {
  provider: Provider
  /** Null where the registry does not know it: then it is somebody's own text. */
  model: string | null
  isStream: boolean
}

/** One completion at its provider, try by try; a try that began an answer is the last one. */
export interface CallWatch {
  tryStarted(): void
  /** The first of the answer is here. */
  tryAnswered(): void
  /** There is none; `status` is the provider's. */
  tryFailed(end: AnswerEnd, status: number | null): void
  /** The answer is over: whole, broken, or given up. */
  answerEnded(end: AnswerEnd): void
  /** What the call cost, after the end of its answer; said also where there was none. */
  accounted(tokens: { promptTokens: number; completionTokens: number }): void
}
