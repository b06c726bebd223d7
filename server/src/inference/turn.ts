// The state of one completion, shared by its steps from the call to the provider on.

import type { InferenceRequest } from '../domain/conversation/inference-request.ts'
import type { Message } from '../domain/conversation/prompt.ts'
import type { CallWatch } from '../domain/metrics.ts'
import type { AnswerRewriter } from '../guardrails/answers/answer-rewriter.ts'
import type { AdmittedCall } from '../http/admitted-call.ts'
import type { Surface } from '../surfaces/surface.ts'
import type { Collected } from './answer/collect-answer.ts'
import type { Conversation } from './memory/memory.ts'
import type { ChosenTarget } from './target/choose-target.ts'

export interface Turn {
  call: AdmittedCall
  /** Reads and writes the client's wire format. */
  surface: Surface
  request: InferenceRequest
  target: ChosenTarget
  /** The circuit breaker that counts the target's failures. */
  breakerKey: string
  conversation: Conversation | null
  /** All messages that the provider gets. */
  messages: Message[]
  /** The messages of the request that memory keeps. */
  messagesToRemember: Message[]
  /** Restores masked values in the answer and scans it; null if nothing was masked and nothing scans. */
  rewriter: AnswerRewriter | null
  /** False if the rewriter only scans: the client gets the provider's events unchanged. */
  rewriterChanges: boolean
  collected: Collected
  /** The answer's message is kept: for the conversation, or because its tool calls may carry reasoning. */
  keepsAnswer: boolean
  watch: CallWatch
}
