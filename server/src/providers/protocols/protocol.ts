// The contract of a wire format: how a prompt is written in it, and how answers, streams and errors are read.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import type { ModelFacts } from '../../domain/conversation/model-facts.ts'
import type { Prompt } from '../../domain/conversation/prompt.ts'
import type { ProviderError } from '../../domain/conversation/provider-error.ts'
import type { JsonObject } from '../../domain/json-object.ts'

export interface Protocol {
  /** The inbound surface of the same name may pass on the `raw` of an AnswerEvent. */
  wireFormat: 'chat-completions' | 'anthropic' | 'gemini' | 'cohere'
  /** Adapts the prompt to the model by its facts. Throws Refusal if the format cannot express the prompt. */
  render(prompt: Prompt, target: Target): UpstreamRequest
  /**
   * A whole answer with status 200, read as the one event of a stream: its deltas end in `usage`, `finish` or `error`.
   */
  decodeAnswer(body: Uint8Array, reading: ReadOptions): AnswerEvent
  createStreamDecoder(reading: ReadOptions): StreamDecoder
  /** A response with any other status than 200. */
  readError(answer: RefusedAnswer): ProviderError
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
  /** What the decoder needs to know about the request. */
  reading: RenderedReading
}

interface RenderedReading {
  /** A tool that stands in for structured output: its arguments are the answer's text. */
  jsonTool: string | null
}

export interface ReadOptions extends RenderedReading {
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
