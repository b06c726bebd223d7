// A model's answer, independent of any wire format: one sequence of small deltas, for plain answers and streams
// alike. Protocols create the deltas, guardrails restore masked text in them, memory and accounting read them,
// and inbound surfaces render them.

import type { LazyList } from '../json/lazy-list.ts'
import type { JsonObject } from '../json-object.ts'
import type { ReasoningDetail } from './prompt.ts'
import type { ProviderError } from './provider-error.ts'
import type { WireFormat } from './wire-format.ts'

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
  /** A whole block or item that only clients of this format know, such as a call of the provider's own tool. */
  | { type: 'native'; choice: number; format: WireFormat; value: JsonObject }
  /** All of what an operation answers that generates nothing. */
  | { type: 'result'; result: Vectors }
  | Finish
  | { type: 'usage'; usage: Usage }
  /** `usage` is what the provider had reported by then. */
  | { type: 'error'; error: ProviderError; usage?: Usage }

/** The vectors of all inputs, in their order: numbers, or base64 of 32-bit floats. */
export interface Vectors {
  vectors: (readonly number[] | LazyList<number> | string)[]
}

export interface Finish {
  type: 'finish'
  choice: number
  reason: FinishReason
  /** The provider's own word. */
  native: string | null
  /** The client's text that ended the answer, if the provider names it. */
  stopSequence?: string
}

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
  /** What the provider bills, if it reports other counts than those of what it processed. */
  billed?: { promptTokens: number; completionTokens: number }
  /** In USD, if the provider reports it. */
  cost?: number
}

/** What one event of the upstream contained. */
export interface AnswerEvent {
  /** In the order that `Delta` guarantees; nothing follows an `error`. */
  deltas: Delta[]
  /**
   * The event's bytes if the client has the same wire format and may get them; null if the deltas must be rendered.
   * They say the same as `deltas`, and never contain an error. In formats whose streams may mix raw and rendered
   * events (chat completions), such an event has no finish and no usage, and rendered events take id, model and time
   * from the `origin`; in all others, every event of a stream is raw, even without deltas.
   */
  raw: Uint8Array | null
}
