// The interface through which the product reports to metrics and traces. No method takes a tenant, project,
// user or text, so none of these can leak into a label or a span.

import type { signOnKinds } from './access/single-sign-on.ts'
import type { auditOutcomes } from './audit/entry.ts'
import type { BoundLevel } from './budgets/platform-bounds.ts'
import type { EndpointName } from './conversation/operations.ts'
import type { ProviderErrorClass } from './conversation/provider-error.ts'
import type { Restriction } from './end-users/restrictions.ts'
import type { GuardrailDirection, GuardrailName } from './guardrails/guardrails.ts'
import type { meterEventOutcomes } from './meters/meter.ts'
import type { ProviderKind } from './provider.ts'
import type { AttestationKind } from './settings/anonymous-rules.ts'

/** The verdict of one guardrail on one request or answer; the strongest if there are several. */
export const guardrailVerdicts = [
  'passed',
  'detected',
  'masked',
  'redacted',
  'flagged',
  'blocked',
  'unavailable',
] as const
export type GuardrailVerdict = (typeof guardrailVerdicts)[number]

/** Calls of an external recogniser. */
export const recogniserOutcomes = [
  'answered',
  'timeout',
  'network',
  'status',
  'malformed',
  /** The address rules for tenants' URLs prevented the call. */
  'blocked',
  'too_many_texts',
  /** An error of our own. */
  'internal',
] as const
export type RecogniserOutcome = (typeof recogniserOutcomes)[number]

/** Lookups of the answer cache; failed: the store was unavailable, or its value invalid. */
export const cacheOutcomes = ['hit', 'miss', 'failed'] as const
export type CacheOutcome = (typeof cacheOutcomes)[number]

/** Usage rows: written to the database, kept in the store until the database is back, or lost. */
export const usageRowOutcomes = ['written', 'shelved', 'dropped'] as const
/** Rows of the request log: written, lost, or left out because the project had too many refusals in that second. */
export const requestRowOutcomes = ['written', 'dropped', 'left_out'] as const
export const eventOutcomes = ['stored', 'dropped', 'failed'] as const
export const jobOutcomes = ['done', 'failed', 'cut_short'] as const
/** One attempt to deliver a webhook: delivered, to be tried again, or the last one failed. */
export const webhookOutcomes = ['delivered', 'retried', 'failed'] as const
/** What is left of a budget: spent, or reserved by running calls. */
export const budgetRefusalReasons = ['spent', 'reserved'] as const
export type BudgetRefusalReason = (typeof budgetRefusalReasons)[number]
/** Requests for a token of an anonymous user; unavailable: nobody could say whether the attestation is genuine. */
export const anonymousOutcomes = ['issued', 'failed', 'limited', 'blocked', 'unavailable'] as const
export type AnonymousOutcome = (typeof anonymousOutcomes)[number]
export const dnsActions = ['register', 'remove'] as const

/** How an attempt at a provider ended. */
export type AnswerEnd =
  | 'complete'
  | ProviderErrorClass
  | 'client_gone'
  | 'service_disabled'
  | Restriction
  | 'server_shutting_down'
  /** A guardrail ended the answer. */
  | 'guardrail'
  /** An error of our own. */
  | 'internal'

export interface CheckedText {
  guardrail: GuardrailName
  direction: GuardrailDirection
}

/** Times are in milliseconds. Each method takes well under a microsecond, and must not throw or wait. */
export interface Metrics {
  /** A guardrail has checked the text of one request or answer. */
  guardrailChecked(check: CheckedText, verdict: GuardrailVerdict, ms: number): void
  /** An earlier verdict on the same text was reused. */
  verdictReused(guardrail: GuardrailName): void
  /** A call of an external recogniser ended, or was not made. */
  recogniserCalled(outcome: RecogniserOutcome, ms: number): void
  /** A completion whose model and key were chosen. `request` is the object that came from the listener. */
  watchCall(request: object, call: WatchedCall): CallWatch
  /** A request for which the answer cache is used was looked up. */
  cacheLookedUp(outcome: CacheOutcome): void
  requestRows(outcome: (typeof requestRowOutcomes)[number], rows: number): void
  /** A batch of rows of requests was written, the oldest so long after the end of its request. */
  requestRowsDelayed(ms: number): void
  usageRows(outcome: (typeof usageRowOutcomes)[number], rows: number): void
  queryEnded(ms: number, isFailed: boolean): void
  /** One call of the key-value store; `intention` is the name of the method in its contract. */
  storeCalled(intention: string, ms: number, isFailed: boolean): void
  admitted(outcome: string): void
  /** A call was rejected because a budget of this level has too little left. */
  budgetRefused(level: BoundLevel, reason: BudgetRefusalReason): void
  eventEmitted(outcome: (typeof eventOutcomes)[number]): void
  /** This replica now uses a project's document of this revision. */
  configSeen(revision: number): void
  /** `on`: how many switches are on, by scope. */
  killSwitchesSeen(revision: number, on: Record<'global' | 'tenant' | 'project', number>): void
  jobEnded(job: string, outcome: (typeof jobOutcomes)[number], ms: number): void
  /** One attempt to register or remove a project's host names. The outcome is `done`, or the kind of failure. */
  dnsAttempted(action: (typeof dnsActions)[number], outcome: string): void
  /** A token for an anonymous user was asked for. */
  anonymousAsked(kind: AttestationKind, outcome: AnonymousOutcome): void
  auditEntryAdded(outcome: (typeof auditOutcomes)[number]): void
  /** The issuer's answer opened a session, or did not. */
  signOnEnded(kind: (typeof signOnKinds)[number], outcome: (typeof auditOutcomes)[number]): void
  webhookAttempted(outcome: (typeof webhookOutcomes)[number]): void
  meterEvents(outcome: (typeof meterEventOutcomes)[number], events: number): void
}

export interface WatchedCall {
  endpoint: EndpointName
  /** Bounded: all custom providers of all tenants are one kind. */
  provider: ProviderKind
  /** Null if the registry does not know the model: its name is then text of a client or tenant. */
  model: string | null
  isStream: boolean
}

/** One completion at its provider, attempt by attempt. The attempt that began an answer is the last one. */
export interface CallWatch {
  attemptStarted(): void
  /** The first part of the answer has arrived. */
  attemptAnswered(): void
  /** There is no answer; `status` is the provider's. */
  attemptFailed(end: AnswerEnd, status: number | null): void
  /** The answer ended: complete, broken, or cancelled. */
  answerEnded(end: AnswerEnd): void
  /** The tokens of the call, reported after the answer ended, and also if there was none. */
  usageRecorded(tokens: { promptTokens: number; completionTokens: number }): void
}
