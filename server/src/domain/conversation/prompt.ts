// What a client asks a model, free of any wire format: inbound surfaces read it, guardrails and memory work on it,
// protocols render it. Absent means that the client said nothing, and the provider's own default holds.

import type { JsonObject } from '../json-object.ts'

export interface Prompt {
  messages: Message[]
  tools: Tool[]
  /** Tools that are no functions but a provider's own, as they came; only that provider gets them. */
  otherTools: JsonObject[]
  toolChoice?: ToolChoice
  parallelToolCalls?: boolean
  responseFormat?: ResponseFormat
  sampling: Sampling
  maxOutputTokens?: number
  stop: string[]
  choiceCount?: number
  logprobs?: { topCount?: number }
  reasoning?: ReasoningWish
  stream: boolean
  /** Whether the client wants to see the usage of a stream; upstream it is asked for always. */
  includeUsage: boolean
  /** Fields of the client's request that nobody here knows, for providers that may know them. */
  extra: JsonObject
}

export interface Sampling {
  temperature?: number
  topP?: number
  topK?: number
  presencePenalty?: number
  frequencyPenalty?: number
  seed?: number
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export interface ReasoningWish {
  effort?: ReasoningEffort
  /** An upper bound in tokens, where the client gave one instead of an effort. */
  maxTokens?: number
  /** The client does not want to see it. */
  isHidden?: boolean
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

export interface Tool {
  name: string
  description?: string
  /** JSON Schema of the arguments; absent means a tool without any. */
  parameters?: JsonObject
  strict?: boolean
  extra?: JsonObject
}

export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json' }
  | { type: 'json_schema'; name: string; description?: string; schema: JsonObject; strict?: boolean }

export function asksForJson(format: ResponseFormat | undefined): boolean {
  return format !== undefined && format.type !== 'text'
}

/** As the client wrote it: a text, or parts. */
export type Content = string | Part[]

export type Message = InstructionMessage | UserMessage | AssistantMessage | ToolMessage

interface MessageBase {
  name?: string
  /** Fields nobody here knows. */
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
  /** The reasoning as text, as a client got it before. */
  reasoning?: string
  /** What a provider needs back unchanged to go on reasoning. */
  reasoningDetails: ReasoningDetail[]
}

export interface ToolMessage extends MessageBase {
  role: 'tool'
  toolCallId: string
  content: Content
}

export interface ToolCall {
  id: string
  name: string
  /** JSON as text, as the model wrote it: it may be cut short. */
  arguments: string
  /** An opaque mark of the provider that has to come back with the call. */
  signature?: string
  extra?: JsonObject
}

/** One block of reasoning. Foreign formats stay as they are; `format` says whose it is, e.g. `anthropic-claude-v1`. */
export interface ReasoningDetail {
  type: string
  text?: string | null
  summary?: string | null
  /** What only the provider can read. */
  data?: string | null
  signature?: string | null
  format?: string | null
  id?: string | null
  index?: number
  [field: string]: unknown
}

export type Part =
  | { type: 'text'; text: string; extra?: JsonObject }
  /** `url` is https: or data:. It is never fetched here. */
  | { type: 'image'; url: string; detail?: string; extra?: JsonObject }
  /** `data` is a data: or https: address; either it or the id of a file that the provider has. */
  | { type: 'file'; data?: string; fileId?: string; filename?: string; extra?: JsonObject }
  | { type: 'audio'; data: string; format: string; extra?: JsonObject }
  | { type: 'refusal'; text: string }
  /** A kind nobody here knows, as it came. */
  | { type: 'other'; kind: string; value: JsonObject }

/** The text alone, parts joined by `separator`. */
export function textOf(content: Content | null, separator = ''): string {
  if (content === null) return ''
  if (typeof content === 'string') return content
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join(separator)
}

/** A text as the one part it is; an empty one is no part. */
export function partsOf(content: Content | null): Part[] {
  if (content === null || content === '') return []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
