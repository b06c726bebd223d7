// The chat-completions format, which OpenAI, OpenRouter, Mistral and many others use in dialects.

import type { FinishReason } from '../../../domain/conversation/answer.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../domain/json-object.ts'
import { decodePlainAnswer } from '../decode-plain-answer.ts'
import { createEventStreamDecoder } from '../event-stream-decoder.ts'
import type { Protocol } from '../protocol.ts'
import { ChatPieces } from './answer.ts'
import { type ChatDialect, openaiDialect, openaiLikeDialect } from './dialects.ts'
import { readChatError, readInnerError } from './errors.ts'
import { renderChatBody } from './request.ts'

export function chatCompletions(dialect: ChatDialect): Protocol {
  return {
    wireFormat: 'chat-completions',
    render(prompt, target) {
      const isForeign = target.hasBaseUrlOverride && dialect === openaiDialect
      const body = renderChatBody(prompt, target, isForeign ? openaiLikeDialect : dialect)
      return { path: ['chat', 'completions'], body, reading: { jsonTool: null } }
    },
    decodeAnswer(body, reading) {
      const pieces = new ChatPieces(reading)
      return decodePlainAnswer(body, {
        read: pieces.read,
        pass: (json, bytes) =>
          reading.passes && !pieces.last.rewrites && mayPassWhole(json) ? withNativeReasons(bytes) : null,
      })
    },
    createStreamDecoder(reading) {
      const pieces = new ChatPieces(reading)
      return createEventStreamDecoder({
        read: pieces.read,
        lastWord: '[DONE]',
        mayPass: json => reading.passes && mayPassChunk(json, pieces),
        // An error that came as plain JSON although a stream was requested.
        readStray(text) {
          const json = parseJson(text)
          return isJsonObject(json) ? readInnerError(json, pieces.origin === null) : null
        },
      })
    },
    readError: readChatError,
  }
}

const framing = ['id', 'object', 'created', 'model', 'choices', 'usage', 'system_fingerprint', 'service_tier']
// `obfuscation` is padding, so that the length of encrypted records reveals nothing. It is passed on because it also
// protects the connection to the client.
const chunkFields = new Set([...framing, 'obfuscation'])
const chunkChoiceFields = new Set(['index', 'delta', 'logprobs', 'finish_reason'])
const deltaFields = new Set(['content', 'refusal', 'tool_calls'])
const answerFields = new Set(framing)
const answerChoiceFields = new Set(['index', 'message', 'logprobs', 'finish_reason'])
const knownReasons: ReadonlySet<string> = new Set<FinishReason>(['stop', 'length', 'tool_calls', 'content_filter'])
const messageFields = new Set(['role', 'content', 'refusal', 'tool_calls', 'annotations', 'audio'])

/** Whether a chunk continues a choice that has begun, with only the fields that every client knows. */
function mayPassChunk(json: unknown, { origin, last }: ChatPieces): boolean {
  if (last.begins || last.renumbers || last.rewrites || origin === null) return false
  if (!isJsonObject(json) || json['id'] !== origin.id || !hasOnly(json, chunkFields)) return false
  // Some providers give each chunk its own time.
  if (json['created'] !== origin.createdSeconds || json['model'] !== origin.model) return false
  if (json['object'] !== 'chat.completion.chunk') return false
  const { choices } = json
  if (!Array.isArray(choices) || choices.length !== 1) return false
  const [choice] = choices
  if (!isJsonObject(choice) || !hasOnly(choice, chunkChoiceFields)) return false
  const { index, delta } = choice
  return typeof index === 'number' && isJsonObject(delta) && hasOnly(delta, deltaFields)
}

function mayPassWhole(json: unknown): boolean {
  if (!isJsonObject(json) || !hasOnly(json, answerFields)) return false
  const { choices } = json
  if (!Array.isArray(choices) || !isJsonObject(json['usage'])) return false
  return choices.every((choice: unknown) => {
    if (!isJsonObject(choice) || !hasOnly(choice, answerChoiceFields)) return false
    const { message, finish_reason } = choice
    if (!isJsonObject(message) || !hasOnly(message, messageFields)) return false
    if (typeof finish_reason !== 'string' || !knownReasons.has(finish_reason)) return false
    // Clients may rely on these keys, which are mostly null.
    if (choice['logprobs'] === undefined || message['refusal'] === undefined) return false
    // The deltas render absent arguments as `{}`.
    const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'] : []
    return calls.every(
      (call: unknown) => isJsonObject(call) && isJsonObject(call['function']) && call['function']['arguments'] !== '',
    )
  })
}

/**
 * The answer unchanged, except that each native finish reason is set to the finish reason itself. Quotes inside a text
 * are escaped, so only real fields match.
 */
function withNativeReasons(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
  return Buffer.from(text.replace(/"finish_reason"\s*:\s*("[a-z_]+")/g, '$&,"native_finish_reason":$1'), 'latin1')
}

function hasOnly(object: JsonObject, fields: ReadonlySet<string>): boolean {
  for (const name in object) if (!fields.has(name)) return false
  return true
}
