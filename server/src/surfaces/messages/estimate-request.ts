// The first stage of reading a body of /v1/messages: checks its frame, and estimates its tokens. Separate from the
// second stage, because a gateway that forwards its calls reads no further.

import { maxTokens } from '../../domain/conversation/token-estimate.ts'
import { Refusal } from '../../domain/errors.ts'
import { lengthOfJson } from '../../domain/json/json-text.ts'
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import type { Framed } from '../framed-request.ts'
import { findInteger, refuseField, refuseMissing, refuseType } from './fields.ts'

/** A body whose fields named here are checked. The second stage checks the others. */
export interface MessagesFrame extends JsonObject {
  messages: readonly TurnFrame[]
  model?: string | null
  stream?: boolean | null
  max_tokens?: number | null
}

export interface TurnFrame extends JsonObject {
  role: 'user' | 'assistant' | 'system'
  content: string | readonly unknown[]
}

const roles: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system'])
const charactersPerToken = 4
/** The tokens of a message besides its text. */
const tokensPerMessage = 4
/** The estimate for an image or a PDF, since its size in bytes says little about its tokens. */
const tokensPerAttachment = 1_000

/** A body of /v1/messages, which limits its answer. */
export function estimateMessages(body: unknown): Framed<MessagesFrame> {
  const framed = estimatePrompt(body)
  const limit = findInteger(framed.frame, 'max_tokens', 1, 'max_tokens') ?? refuseMissing('max_tokens')
  return { ...framed, estimate: { ...framed.estimate, completion: Math.min(maxTokens, limit) } }
}

/** A body whose tokens are only counted: there is no answer. */
export function estimatePrompt(body: unknown): Framed<MessagesFrame> {
  if (!isJsonObject(body)) throw new Refusal('invalid_request', { message: 'The request body must be a JSON object' })
  const { messages, model, stream } = body
  if (model !== undefined && model !== null && typeof model !== 'string') refuseType('model', 'string')
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') refuseType('stream', 'boolean')
  if (messages === undefined || messages === null) refuseMissing('messages')
  if (!Array.isArray(messages)) refuseType('messages', 'array')
  if (messages.length === 0) refuseField('messages', 'at least one message is required')
  const frame = body as MessagesFrame
  return { frame, estimate: { prompt: promptTokens(frame, messages), completion: 0 } }
}

/** Also checks the frame of each message, so that a large body is read in one pass. */
function promptTokens({ system, tools }: MessagesFrame, messages: readonly unknown[]): number {
  const size = new PromptSize()
  size.addContent(system)
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`
    if (!isJsonObject(message)) refuseType(path, 'object')
    const { role, content } = message
    if (!roles.has(role)) refuseField(`${path}.role`, "Input should be 'user', 'assistant' or 'system'")
    if (content === undefined || content === null) refuseMissing(`${path}.content`)
    if (typeof content !== 'string' && !Array.isArray(content)) refuseType(`${path}.content`, 'array')
    size.addTokens(tokensPerMessage)
    size.addContent(content)
  }
  if (tools !== undefined && tools !== null) size.addJson(tools)
  return size.tokens()
}

class PromptSize {
  #characters = 0
  #tokens = 0

  tokens(): number {
    return this.#tokens + Math.ceil(this.#characters / charactersPerToken)
  }

  addTokens(count: number): void {
    this.#tokens += count
  }

  addJson(value: unknown): void {
    this.#characters += lengthOfJson(value)
  }

  addContent(content: unknown): void {
    if (typeof content === 'string') this.#characters += content.length
    else if (Array.isArray(content)) for (const block of content) this.#addBlock(block)
  }

  #addBlock(block: unknown): void {
    if (!isJsonObject(block)) return
    const { type, text, thinking, input, content, source } = block
    if (type === 'image') this.#tokens += tokensPerAttachment
    else if (type === 'document') this.#addSource(source)
    else if (typeof text === 'string') this.#characters += text.length
    else if (typeof thinking === 'string') this.#characters += thinking.length
    else if (isJsonObject(input)) this.addJson(input)
    else this.addContent(content)
  }

  #addSource(source: unknown): void {
    if (!isJsonObject(source)) return
    const { type, data, content } = source
    if (type === 'text' && typeof data === 'string') this.#characters += data.length
    else if (type === 'content') this.addContent(content)
    else this.#tokens += tokensPerAttachment
  }
}
