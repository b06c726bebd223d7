// The state of one answer, as all of its steps see it, and the contract of a stage: the part that one feature has in an
// answer. What only one feature needs is a field of its stage.

import type { AdmittedCall } from '../call/admitted-call.ts'
import type { AnswerEvent } from '../domain/conversation/answer.ts'
import type { InferenceRequest } from '../domain/conversation/inference-request.ts'
import type { Message, RequestSource } from '../domain/conversation/prompt.ts'
import type { CallWatch } from '../domain/metrics.ts'
import type { NanoUsd } from '../domain/money.ts'
import type { AnswerRewriter } from '../guardrails/answers/answer-rewriter.ts'
import type { Protocol } from '../providers/protocols/protocol.ts'
import type { Endpoint, Reply, Surface } from '../surfaces/surface.ts'
import type { Collected } from './answer/collect-answer.ts'
import type { UpstreamAnswer } from './attempt/attempt.ts'
import type { ChosenTarget } from './target/choose-target.ts'

/** What is known of an answer when its stages are opened. */
export interface TurnRequest {
  readonly call: AdmittedCall
  /** Reads and writes the client's wire format. */
  readonly surface: Surface
  readonly endpoint: Endpoint
  readonly request: InferenceRequest
  /** The first one is asked, the others in this order if it fails. */
  readonly callable: CallableTargets
}

/** A target, with the protocol that its provider is asked in; null if the answer is made here. */
export interface CallableTarget {
  readonly target: ChosenTarget
  readonly protocol: Protocol | null
}
export type CallableTargets = readonly [CallableTarget, ...CallableTarget[]]

export interface Turn extends TurnRequest {
  /** Without the targets that a stage has excluded. */
  callable: CallableTargets
  readonly stages: readonly Stage[]
  readonly collected: Collected
  /** The one that is asked, or has answered. */
  current: CallableTarget
  watch: CallWatch
  /** All messages that the provider gets. */
  messages: Message[]
  /** The client's body with the same messages, if they are all the provider gets; null if it must be rendered. */
  source: RequestSource | null
  /** The messages of the request, as they may be stored. */
  storedMessages: readonly Message[]
  /** Null if the client gets the answer as the provider sends it. */
  rewriting: AnswerRewriting | null
  /** Whether the answer was paid for before: it comes from the cache. */
  isPaid: boolean
}

/** Restores masked values in the answer, and scans it. */
export interface AnswerRewriting {
  readonly rewriter: AnswerRewriter
  /** False if the rewriter only scans: the client gets the provider's events unchanged. */
  readonly changes: boolean
}

/**
 * `answer-call.ts` lists the stages that are on for a call. The methods are called in the order of this type, each for
 * all stages in the order of the list.
 */
export interface Stage {
  /** The text of the answer is kept in memory until it ends. */
  readonly keepsAnswer?: boolean
  /** Changes what the provider gets. Throws if the request must not be answered. */
  prepare?(turn: Turn): Promise<void> | void
  /** Finds an answer that is known already; null if a provider must be asked. */
  findAnswer?(turn: Turn): Promise<UpstreamAnswer | null>
  /** Runs before the first provider is asked. Throws if none may be. */
  reserve?(turn: Turn): Promise<void> | void
  /** Takes events as the provider sends them, after they were collected. */
  take?(events: readonly AnswerEvent[], turn: Turn): void
  /** The answer has ended, in any way, at this cost. */
  settle?(charge: Charge, costAt: (pricing: Pricing) => NanoUsd): void
  /** The answer is complete, and its client is about to get the end of it. */
  keep?(turn: Turn, reply: Reply): Promise<void>
  /** The call has ended, in any way. Called in any case, and last. */
  release?(): void
}

/** How the cost of an answer is found. */
export type Pricing = Pick<ChosenTarget, 'prices' | 'trustsReportedCost'>

export interface Charge {
  readonly cost: NanoUsd
  readonly totalTokens: number
  /** The day whose budgets it was charged to; null without budgets. */
  budgetDay: string | null
  /** What a key of the platform paid, on the day whose bounds were reserved; null without such bounds. */
  platform: { day: string; cost: NanoUsd } | null
}
