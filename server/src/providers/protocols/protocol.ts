// The contract of a wire format: how a prompt is written in it, and how answers, streams and refusals are read.
// Knows no address, key, tenant or inbound surface; opens no connection.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import type { ModelFacts } from '../../domain/conversation/model-facts.ts'
import type { Prompt } from '../../domain/conversation/prompt.ts'
import type { ProviderFault } from '../../domain/conversation/provider-fault.ts'
import type { JsonObject } from '../../domain/json-object.ts'

export interface Protocol {
  /** Whose clients may take `raw` of an AnswerEvent: the inbound surface of the same name. */
  wireFormat: 'chat-completions' | 'anthropic' | 'gemini' | 'cohere'
  /** Adapts the prompt to the model by its facts. Throws Refusal where the prompt cannot be said in this format. */
  render(prompt: Prompt, target: Target): UpstreamRequest
  /** A plain answer with status 200, read as the one event of a stream: its deltas end in `usage`, `finish` or `fault`. */
  decodeAnswer(body: Uint8Array, reading: ReadOptions): AnswerEvent
  createStreamDecoder(reading: ReadOptions): StreamDecoder
  /** An answer with any other status than 200. */
  readFault(answer: RefusedAnswer): ProviderFault
}

/** For whom a prompt is rendered. */
export interface Target {
  /** The name that the provider itself uses. */
  model: string
  facts: ModelFacts
  /** Somebody else than the provider may stand there, who knows fewer fields. */
  hasBaseUrlOverride: boolean
  /** Stands for the end user at the provider; says nothing about who it is. */
  endUserHash: string | null
}

export interface UpstreamRequest {
  /** Below the version segment of the provider's address; segments are not encoded yet. */
  path: readonly string[]
  query?: Record<string, string>
  headers?: Record<string, string>
  body: JsonObject
  /** What has to be known of the request when its answer is read. */
  reading: RenderedReading
}

interface RenderedReading {
  /** A tool that stands in for structured output: its arguments are the answer's text. */
  jsonTool: string | null
}

export interface ReadOptions extends RenderedReading {
  /** For calls to which the provider gives no id: `call_` and 24 letters or digits. */
  newToolCallId(): string
}

export interface StreamDecoder {
  /** Any cut of the body gives the same events. Nothing comes after a fault or after the provider's last word. */
  push(bytes: Uint8Array): AnswerEvent[]
  /** The body is over as HTTP has it. */
  end(): AnswerEvent[]
  /** The body broke off, or nobody waits for the rest: the fault, unless the provider's last word had come. */
  breakOff(fault: ProviderFault): AnswerEvent[]
  /** Whether the provider's last word has come: what follows of the body may be left unread. */
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
