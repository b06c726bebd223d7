// What must be known of a completion's body before it is admitted: that its frame is sound, and about how many tokens it
// asks for. Knows no model and no provider; what single parts mean is for whoever answers.

import type { TokenEstimate } from '../../domain/conversation/token-estimate.ts'
import { isJsonObject, type JsonObject } from '../../domain/json-object.ts'

/** `param` names the field at fault. */
export type CheckedEstimate =
  | { ok: true; estimate: TokenEstimate }
  | { ok: false; message: string; param: string | null }

const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])
const defaultCompletionTokens = 1_024
const charactersPerToken = 4
/** What the frame of a message costs besides its text. */
const tokensPerMessage = 4
/** Of an image, a sound or a file, whose size in bytes says little. */
const tokensPerAttachment = 1_000
const maxChoices = 128
/** Above every model's means, and small enough to be added up. */
const maxTokens = 1_000_000_000

export function estimateCompletion(body: unknown): CheckedEstimate {
  if (!isJsonObject(body)) return fault('The request body must be a JSON object', null)
  const { messages, model, stream, n } = body
  if (model !== undefined && model !== null && typeof model !== 'string')
    return fault('model must be a string', 'model')
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    return fault('stream must be a boolean', 'stream')
  }
  const limitName = findFaultyLimit(body)
  if (limitName !== null) return fault(`${limitName} must be a positive integer`, limitName)
  if (n !== undefined && n !== null && !(isPositive(n) && n <= maxChoices)) {
    return fault(`n must be an integer 1-${maxChoices}`, 'n')
  }
  if (!Array.isArray(messages) || messages.length === 0) {
    return fault('messages must be an array that is not empty', 'messages')
  }
  return estimateMessages(body, messages)
}

function estimateMessages(body: JsonObject, messages: readonly unknown[]): CheckedEstimate {
  let characters = 0
  let tokens = 0
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    if (!isJsonObject(message)) return fault('Each message must be an object', `messages[${index}]`)
    const { role, content } = message
    if (!roles.has(role)) return fault('role is not a known role', `messages[${index}].role`)
    tokens += tokensPerMessage
    if (typeof content === 'string') characters += content.length
    else if (Array.isArray(content)) {
      for (const part of content) {
        const text = isJsonObject(part) ? (part['text'] ?? part['refusal']) : part
        if (typeof text === 'string') characters += text.length
        else tokens += tokensPerAttachment
      }
    } else if (content !== null && content !== undefined) {
      return fault('content must be a string or an array of parts', `messages[${index}].content`)
    }
    if (message['tool_calls'] !== undefined) characters += lengthOf(message['tool_calls'])
  }
  if (body['tools'] !== undefined) characters += lengthOf(body['tools'])
  const prompt = tokens + Math.ceil(characters / charactersPerToken)
  return { ok: true, estimate: { prompt, completion: completionTokens(body) } }
}

function completionTokens({ max_completion_tokens, max_tokens, n }: JsonObject): number {
  const limit = Number(max_completion_tokens ?? max_tokens ?? defaultCompletionTokens)
  return Math.min(maxTokens, limit * Number(n ?? 1))
}

function findFaultyLimit(body: JsonObject): string | null {
  for (const name of ['max_tokens', 'max_completion_tokens'] as const) {
    const limit = body[name]
    if (limit !== undefined && limit !== null && !isPositive(limit)) return name
  }
  return null
}

function isPositive(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}

function fault(message: string, param: string | null): CheckedEstimate {
  return { ok: false, message, param }
}
