// The contract of a wire format: how a prompt is written in it, and how answers, streams and errors are read.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import type { ModelFacts } from '../../domain/conversation/model-facts.ts'
import type { Prompt, VectorEncoding } from '../../domain/conversation/prompt.ts'
import type { ProviderError } from '../../domain/conversation/provider-error.ts'
import type { WireFormat } from '../../domain/conversation/wire-format.ts'
import type { JsonObject } from '../../domain/json-object.ts'

export const serverSentEvents = 'text/event-stream'

export interface Protocol {
  wireFormat: WireFormat
  /** The media type of its streams, if they are not server-sent events. */
  streamType?: string
  /** Adapts the prompt to the model by its facts. Throws Refusal if the format cannot express the prompt. */
  render(prompt: Prompt, target: Target): UpstreamRequest
  /**
   * A whole answer with status 200, read as the one event of a stream: its deltas end in `usage`, `finish` or `error`.
   * `parsed` is the body's value if it was parsed before.
   */
  decodeAnswer(body: Uint8Array, reading: ReadOptions, parsed?: ParsedBody): AnswerEvent
  /** Parses a large answer in turns of the event loop. Absent if `decodeAnswer` parses it. */
  parseLarge?(body: Uint8Array): Promise<unknown>
  createStreamDecoder(reading: ReadOptions): StreamDecoder
  /** A response with any other status than 200. */
  readError(answer: RefusedAnswer): ProviderError
}

export interface ParsedBody {
  /** Undefined if the body is not JSON. */
  json: unknown
}

/** What a prompt is rendered for. */
export interface Target {
  /** The provider's own name of the model. */
  model: string
  facts: ModelFacts
  /** The server at that address may be another product, which supports fewer fields. */
  hasBaseUrlOverride: boolean
  /** Identifies the end user to the provider without revealing who it is. */
  endUserHash: string | null
}

export interface UpstreamRequest {
  /** Follows the version segment of the provider's address; segments are not encoded yet. */
  path: readonly string[]
  query?: Record<string, string>
  headers?: Record<string, string>
  body: JsonObject
  /** Sent in place of `body`: the client's own bytes. */
  bytes?: Uint8Array
  /** What the decoder needs to know about the request. */
  reading: RenderedReading
}

interface RenderedReading {
  /** A tool that stands in for structured output: its arguments are the answer's text. */
  jsonTool: string | null
  /** The form of vectors that the client wants; only of requests for vectors. */
  vectorEncoding?: VectorEncoding
}

export interface ReadOptions extends RenderedReading {
  /** The client has this wire format, and nothing rewrites the answer: its bytes may be passed on. */
  passes: boolean
  /** For calls without a provider id: `call_` and 24 letters or digits. */
  newToolCallId(): string
}

export interface StreamDecoder {
  /** The events do not depend on how the body is cut. Nothing follows an error or the provider's last event. */
  push(bytes: Uint8Array): AnswerEvent[]
  /** The body has ended by HTTP's framing. */
  end(): AnswerEvent[]
  /** The body broke off, or the client has gone: returns the error, unless the provider's last event had arrived. */
  breakOff(error: ProviderError): AnswerEvent[]
  /** Whether the provider's last event has arrived: the rest of the body may be left unread. */
  readonly isOver: boolean
}

export interface RefusedAnswer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>
  body: string
  /** Epoch ms, for headers that give a time of day. */
  now: number
}
