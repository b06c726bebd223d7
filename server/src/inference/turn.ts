// The state of one answer, shared by its steps from the call to the provider on.

import type { AdmittedCall } from '../call/admitted-call.ts'
import type { InferenceRequest } from '../domain/conversation/inference-request.ts'
import type { Message } from '../domain/conversation/prompt.ts'
import type { CallWatch } from '../domain/metrics.ts'
import type { AnswerRewriter } from '../guardrails/answers/answer-rewriter.ts'
import type { Protocol } from '../providers/protocols/protocol.ts'
import type { Endpoint, Surface } from '../surfaces/surface.ts'
import type { Collected } from './answer/collect-answer.ts'
import type { BudgetHold } from './budget/budget-hold.ts'
import type { CacheUse } from './cache/cache-use.ts'
import type { Conversation } from './memory/memory.ts'
import type { StoredResponse } from './memory/stored-responses.ts'
import type { ChosenTarget } from './target/choose-target.ts'

export interface Turn {
  call: AdmittedCall
  /** Reads and writes the client's wire format. */
  surface: Surface
  endpoint: Endpoint
  request: InferenceRequest
  target: ChosenTarget
  /** Speaks to the target's provider; null if the answer is made here. */
  protocol: Protocol | null
  conversation: Conversation | null
  /** Null if the answer is no response, or the project stores none. */
  storedResponse: StoredResponse | null
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
  /** Absent if the answer is neither taken from the cache nor kept there. */
  cacheUse?: CacheUse
  watch: CallWatch
  /** What the call has reserved of its budgets; absent before, and null if no budget is in force. */
  budget?: BudgetHold | null
}
