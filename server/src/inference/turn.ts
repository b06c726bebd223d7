// What is known of a completion once it is on its way: the one value that the later steps share.

import type { InferenceRequest } from '../domain/conversation/inference-request.ts'
import type { Message } from '../domain/conversation/prompt.ts'
import type { CallWatch } from '../domain/metrics.ts'
import type { Restorer } from '../guardrails/masking/restorer.ts'
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
  /** Where its failures are counted. */
  breakerKey: string
  conversation: Conversation | null
  /** All that the provider reads. */
  messages: Message[]
  /** What memory keeps of what the request brought. */
  messagesToRemember: Message[]
  /** Puts back into the answer what the guardrails masked; null where they masked nothing. */
  restorer: Restorer | null
  collected: Collected
  /** For a conversation, or for what its calls bring with them. */
  keepsAnswer: boolean
  watch: CallWatch
}
