// A model's answer, independent of any wire format: one sequence of small deltas, for plain answers and streams
// alike. Protocols create the deltas, guardrails restore masked text in them, memory and accounting read them,
// and inbound surfaces render them.

import type { JsonObject } from '../json-object.ts'
import type { ReasoningDetail } from './prompt.ts'
import type { ProviderError } from './provider-error.ts'

/**
 * Everything downstream may rely on this order. First comes at most one `origin`. Then come the pieces of the
 * choices as they arrive: `call` counts from 0 within its choice in first-seen order, and a `tool_call`
 * precedes its arguments. Then comes one `finish` for each choice, then at most one `usage`. An `error` may
 * replace everything that has not come yet, and is then the last delta.
 */
export type Delta =
  | Origin
  | { type: 'text'; choice: number; text: string; logprobs?: Logprobs }
  | { type: 'reasoning'; choice: number; text: string; detail?: ReasoningDetail }
  | { type: 'refusal'; choice: number; text: string; logprobs?: Logprobs }
  /** Starts a tool call; `arguments` is their first piece, often empty. */
  | { type: 'tool_call'; choice: number; call: number; id: string; name: string; arguments: string; signature?: string }
  | { type: 'tool_arguments'; choice: number; call: number; text: string }
  /** Annotations, audio, images: parts of a message that only the client interprets. */
  | { type: 'fields'; choice: number; fields: JsonObject }
  | { type: 'finish'; choice: number; reason: FinishReason; native: string | null }
  | { type: 'usage'; usage: Usage }
  /** `usage` is what the provider had reported by then. */
  | { type: 'error'; error: ProviderError; usage?: Usage }

/** The provider's id for the answer, and the model that it reports. */
export interface Origin {
  type: 'origin'
  id: string | null
  model: string | null
  createdSeconds: number | null
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** In OpenAI's format, passed on without being interpreted. */
export interface Logprobs {
  content: unknown
  refusal: unknown
}

export interface Usage {
  /** All prompt tokens, including those read from a cache. */
  promptTokens: number
  /** All generated tokens, including reasoning. */
  completionTokens: number
  /** The provider's own sum if it reports one. */
  totalTokens: number
  cachedTokens: number | null
  /** Tokens written to a cache, if the provider prices them separately. */
  cacheWriteTokens?: number
  reasoningTokens: number | null
  /** In USD, if the provider reports it. */
  cost?: number
}

/** What one event of the upstream contained. */
export interface AnswerEvent {
  /** In the order that `Delta` guarantees; nothing follows an `error`. */
  deltas: Delta[]
  /**
   * The event's bytes if an inbound surface of the same wire format may pass them on; null if the deltas must
   * be rendered. The bytes are unchanged, except that those of a plain answer also have native finish reasons.
   * They say the same as `deltas`; in a stream, such an event has no finish, usage or error. A stream may mix
   * raw and rendered events; rendered events take id, model and time from the `origin`.
   */
  raw: Uint8Array | null
}
