// A client's prompt, independent of any wire format: inbound surfaces create it, guardrails and memory work on
// it, protocols render it. An absent field means that the client did not set it: the provider's default
// applies.

import type { JsonText } from '../json/json-text.ts'
import type { JsonObject } from '../json-object.ts'
import type { WireFormat } from './wire-format.ts'

export interface Prompt {
  /**
   * The format of the client's request. All unknown fields in it, `otherTools` and parts of unknown kind are of this
   * format: a protocol of the same format passes them on.
   */
  format: WireFormat
  /** Null if the body must not be passed on as it is: its format never is, or the project's rules have changed it. */
  source: RequestSource | null
  messages: Message[]
  tools: Tool[]
  /** A provider's own tools that are not functions, unchanged. */
  otherTools: JsonObject[]
  toolChoice?: ToolChoice
  parallelToolCalls?: boolean
  responseFormat?: ResponseFormat
  sampling: Sampling
  maxOutputTokens?: number
  stop: string[]
  choiceCount?: number
  logprobs?: { topCount?: number }
  reasoning?: ReasoningOptions
  stream: boolean
  /** Whether the client wants the usage of a stream. The provider is always asked for it. */
  includeUsage: boolean
  /** Only of requests for vectors: each message is one input. */
  embedding?: EmbeddingOptions
  /** Unknown fields of the client's request, for providers that may know them. */
  extra: JsonObject
  /** Headers of the client's request that providers of its format know. */
  headers?: Readonly<Record<string, string>>
}

/** A client's body, for providers of its format. */
export interface RequestSource {
  body: Uint8Array
  /** The messages that were read from it. A prompt with others, masked or remembered ones, must be rendered. */
  messages: readonly Message[]
}

export interface EmbeddingOptions {
  /** The length of each vector; absent for the model's own. */
  dimensions?: number
  encoding: VectorEncoding
}

/** Numbers, or base64 of 32-bit floats in little-endian order. */
export type VectorEncoding = 'float' | 'base64'

export interface Sampling {
  temperature?: number
  topP?: number
  topK?: number
  presencePenalty?: number
  frequencyPenalty?: number
  seed?: number
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export interface ReasoningOptions {
  effort?: ReasoningEffort
  /** A maximum in tokens, if the client set one instead of an effort. */
  maxTokens?: number
  /** The client does not want to receive the reasoning. */
  isHidden?: boolean
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

export interface Tool {
  name: string
  description?: string
  /** JSON Schema of the arguments; absent if the tool has none. */
  parameters?: JsonText
  strict?: boolean
  extra?: JsonObject
}

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json' }
  | { type: 'json_schema'; name: string; description?: string; schema: JsonText; strict?: boolean }

export function asksForJson(format: ResponseFormat | undefined): boolean {
  return format !== undefined && format.type !== 'text'
}

/** As the client sent it: a text, or parts. */
export type Content = string | Part[]

export type Message = InstructionMessage | UserMessage | AssistantMessage | ToolMessage

interface MessageBase {
  name?: string
  /** Unknown fields. */
  extra?: JsonObject
}

export interface InstructionMessage extends MessageBase {
  role: 'system' | 'developer'
  content: Content
}

export interface UserMessage extends MessageBase {
  role: 'user'
  content: Content
}

export interface AssistantMessage extends MessageBase {
  role: 'assistant'
  content: Content | null
  toolCalls: ToolCall[]
  refusal?: string
  /** The reasoning as text, as the client received it before. */
  reasoning?: string
  /** What a provider needs back, unchanged, to continue its reasoning. */
  reasoningDetails: ReasoningDetail[]
  /** The order of the parts, the calls and the details of reasoning; absent if details come first, and calls last. */
  order?: BlockKind[]
}

export type BlockKind = 'reasoning' | 'part' | 'call'

export interface ToolMessage extends MessageBase {
  role: 'tool'
  toolCallId: string
  content: Content
  /** The tool failed, and the content says how. */
  isError?: boolean
}

export interface ToolCall {
  id: string
  name: string
  /** JSON text as the model wrote it; it may be cut off. */
  arguments: string
  /** The provider's opaque signature, which must be sent back with the call. */
  signature?: string
  extra?: JsonObject
}

/**
 * One block of reasoning. Blocks of other formats stay unchanged; `format` names the format, e.g.
 * `anthropic-claude-v1`.
 */
export interface ReasoningDetail {
  type: string
  text?: string | null
  summary?: string | null
  /** Readable only by the provider. */
  data?: string | null
  signature?: string | null
  format?: string | null
  id?: string | null
  index?: number
  [field: string]: unknown
}

export type Part =
  | { type: 'text'; text: string; extra?: JsonObject }
  /** `url` is https: or data:. It must not be fetched here. */
  | { type: 'image'; url: string; detail?: string; extra?: JsonObject }
  /** Either `data`, a data: or https: URL, or the id of a file that the provider has. */
  | { type: 'file'; data?: string; fileId?: string; filename?: string; extra?: JsonObject }
  | { type: 'audio'; data: string; format: string; extra?: JsonObject }
  | DocumentPart
  | { type: 'refusal'; text: string }
  /** A part of unknown kind, unchanged. */
  | { type: 'other'; kind: string; value: JsonObject }

/** A document whose text is in the request. */
export interface DocumentPart {
  type: 'document'
  /** Texts and images. */
  content: Content
  title?: string
  /** What the client says about the document. */
  context?: string
  /** Only of a search result: where it was found. */
  searchSource?: string
  extra?: JsonObject
}

/** For formats without documents: the same as texts and images. */
export function partsOfDocument({ content, title, context, searchSource }: DocumentPart): Part[] {
  const head = [title, searchSource, context].filter(text => text !== undefined && text !== '').join('\n')
  return [...partsOf(head === '' ? '' : `${head}\n\n`), ...partsOf(content)]
}

/** The texts of parts and documents, joined by `separator`. */
export function textOf(content: Content | null, separator = ''): string {
  if (content === null) return ''
  if (typeof content === 'string') return content
  return content
    .flatMap(part => (part.type === 'document' ? partsOfDocument(part) : [part]))
    .flatMap(part => (part.type === 'text' ? [part.text] : []))
    .join(separator)
}

/** Returns a text as one part, and an empty text as no part. */
export function partsOf(content: Content | null): Part[] {
  if (content === null || content === '') return []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
