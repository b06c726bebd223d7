// What a model answers, free of any wire format: one sequence of small deltas, whether it came at once or in a stream.
// Protocols make them, guardrails restore them, memory and accounting read them, inbound surfaces render them.

import type { JsonObject } from '../json-object.ts'
import type { ReasoningDetail } from './prompt.ts'
import type { ProviderFault } from './provider-fault.ts'

/**
 * The order that everyone downstream may rely on: one `origin` first where there is one; pieces of the choices as they
 * come, `call` counting from 0 within its choice in first-seen order, and a `tool_call` before its arguments; then one
 * `finish` for each choice, then at most one `usage`. A `fault` may take the place of all that has not come yet, and
 * is then the last.
 */
export type Delta =
  | Origin
  | { type: 'text'; choice: number; text: string; logprobs?: Logprobs }
  | { type: 'reasoning'; choice: number; text: string; detail?: ReasoningDetail }
  | { type: 'refusal'; choice: number; text: string; logprobs?: Logprobs }
  /** Begins a call; `arguments` is the first piece of them, often empty. */
  | { type: 'tool_call'; choice: number; call: number; id: string; name: string; arguments: string; signature?: string }
  | { type: 'tool_arguments'; choice: number; call: number; text: string }
  /** Annotations, audio, images: parts of a message that only the client understands. */
  | { type: 'fields'; choice: number; fields: JsonObject }
  | { type: 'finish'; choice: number; reason: FinishReason; native: string | null }
  | { type: 'usage'; usage: Usage }
  /** `usage` is what the provider had counted by then. */
  | { type: 'fault'; fault: ProviderFault; usage?: Usage }

/** How the provider calls its answer, and which model it says has given it. */
export interface Origin {
  type: 'origin'
  id: string | null
  model: string | null
  createdSeconds: number | null
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** As OpenAI clients know them, passed on unread. */
export interface Logprobs {
  content: unknown
  refusal: unknown
}

export interface Usage {
  /** Everything that was read, what came from a cache included. */
  promptTokens: number
  /** Everything that was written, reasoning included. */
  completionTokens: number
  /** The provider's own sum where it gives one. */
  totalTokens: number
  cachedTokens: number | null
  /** Written to a cache, where that has a price of its own. */
  cacheWriteTokens?: number
  reasoningTokens: number | null
  /** Where the provider says it (USD). */
  cost?: number
}

/** What one event of the upstream came to. */
export interface AnswerEvent {
  /** In the order that `Delta` promises; a `fault` is the last delta of all. */
  deltas: Delta[]
  /**
   * The event's bytes, where an inbound surface of the same wire format may pass them on (as they came, but for the native
   * reasons of a plain answer): then they say what `deltas` say, and of a stream no finish, usage or fault is among these.
   * Null: render the deltas. Raw and rendered events mix within a stream; those that are rendered take id, model and time
   * from the `origin`.
   */
  raw: Uint8Array | null
}
