// The first stage of reading a completion's body: checks its frame, and estimates its tokens. Separate from the second
// stage, because a gateway that forwards its calls reads no further.

import { maxTokens, type TokenEstimate } from '../../domain/conversation/token-estimate.ts'
import { Refusal } from '../../domain/errors.ts'
import { lengthOfJson } from '../../domain/json/json-text.ts'
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import type { Framed } from '../framed-request.ts'
import { refuseField } from '../request-fields.ts'

/** A body whose fields named here are checked. The second stage checks the others. */
export interface RequestFrame extends JsonObject {
  messages: readonly MessageFrame[]
  model?: string | null
  stream?: boolean | null
  max_tokens?: number | null
  max_completion_tokens?: number | null
  n?: number | null
}

export interface MessageFrame extends JsonObject {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function'
  content?: string | readonly unknown[] | null
}

/** Includes the old role `function`, which only the second stage rejects: other inference services may accept it. */
const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])
const limitNames = ['max_tokens', 'max_completion_tokens'] as const
const defaultCompletionTokens = 1_024
const charactersPerToken = 4
/** The tokens of a message besides its text. */
const tokensPerMessage = 4
/** The estimate for an image, a sound or a file, since its size in bytes says little about its tokens. */
const tokensPerAttachment = 1_000
export const maxChoices = 128

export function estimateRequest(body: unknown): Framed<RequestFrame> {
  if (!isJsonObject(body)) throw new Refusal('invalid_request', { message: 'The request body must be a JSON object' })
  const { messages, model, stream, n } = body
  if (!isAbsent(model) && typeof model !== 'string') refuseField('model', 'must be a string')
  if (!isAbsent(stream) && typeof stream !== 'boolean') refuseField('stream', 'must be a boolean')
  for (const name of limitNames) {
    if (!isAbsent(body[name]) && !isPositive(body[name])) refuseField(name, 'must be a positive integer')
  }
  if (!isAbsent(n) && !(isPositive(n) && n <= maxChoices)) refuseField('n', `must be an integer 1-${maxChoices}`)
  if (!Array.isArray(messages) || messages.length === 0) refuseField('messages', 'must be an array that is not empty')
  const prompt = promptTokens(body, messages)
  const frame = body as RequestFrame
  return { frame, estimate: { prompt, ...estimateAnswers(frame) } }
}

/** Also checks the frame of each message, so that a large body is read in one pass. */
function promptTokens(body: JsonObject, messages: readonly unknown[]): number {
  let characters = 0
  let tokens = 0
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (!isJsonObject(message)) refuseField(`messages[${index}]`, 'must be an object')
    const { role, content } = message
    if (!roles.has(role)) {
      refuseField(`messages[${index}].role`, 'must be one of: system, developer, user, assistant, tool')
    }
    tokens += tokensPerMessage
    if (typeof content === 'string') characters += content.length
    else if (Array.isArray(content)) {
      for (const part of content) {
        const text = isJsonObject(part) ? (part['text'] ?? part['refusal']) : part
        if (typeof text === 'string') characters += text.length
        else tokens += tokensPerAttachment
      }
    } else if (!isAbsent(content)) refuseField(`messages[${index}].content`, 'must be a string or an array of parts')
    if (message['tool_calls'] !== undefined) characters += lengthOfJson(message['tool_calls'])
  }
  if (body['tools'] !== undefined) characters += lengthOfJson(body['tools'])
  return tokens + Math.ceil(characters / charactersPerToken)
}

function estimateAnswers({ max_completion_tokens, max_tokens, n }: RequestFrame): Omit<TokenEstimate, 'prompt'> {
  const limit = max_completion_tokens ?? max_tokens
  return {
    completion: Math.min(maxTokens, (limit ?? defaultCompletionTokens) * (n ?? 1)),
    ...(isAbsent(n) ? {} : { choices: n }),
    ...(isAbsent(limit) ? { isUnlimited: true } : {}),
  }
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

function isPositive(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
