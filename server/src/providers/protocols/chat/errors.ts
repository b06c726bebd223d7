// Classifies error responses of chat-completions providers, and errors inside answers.

import {
  type ProviderError,
  type ProviderErrorClass,
  providerError,
} from '../../../domain/conversation/provider-error.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../domain/json-object.ts'
import type { RefusedAnswer } from '../protocol.ts'
import { readReset, readRetryAfter } from '../retry-after.ts'

interface Words {
  message: string | null
  code: string
  type: string
  param: string | null
  metadata: JsonObject
}

/** The HTTP status for the code of an error that came with status 200. Some providers send the number as the code. */
const statusByWord = new Map([
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['invalid_api_key', 401],
  ['model_not_found', 404],
  ['context_length_exceeded', 400],
  ['invalid_request_error', 400],
  ['invalid_prompt', 400],
])
/** The codes of errors in a client's images. */
const imageCode = /image/

const overflowWords = [
  'context[ _-]length',
  'context window',
  'maximum (?:model )?context',
  'prompt is too long',
  'too (?:many|large)[^.]{0,40} tokens',
  "exceeds? (?:the )?(?:model's )?maximum (?:number of )?tokens",
]
const overflow = new RegExp(overflowWords.join('|'), 'i')

export function readChatError(answer: RefusedAnswer): ProviderError {
  const { status } = answer
  const json = parseJson(answer.body)
  const words = isJsonObject(json) ? readWords(json) : null
  const errorClass = classOf(status, words)
  return providerError(errorClass, {
    message: words?.message ?? null,
    param: words?.param ?? null,
    status,
    retryAfterSeconds: readRetryAfter(answer) ?? readResetInside(words, answer.now),
  })
}

/** An error that came with status 200. */
export function readInnerError(json: unknown, isRefusal: boolean): ProviderError {
  if (!isJsonObject(json)) return providerError('malformed')
  const words = readWords(json)
  const { message, param, code, type } = words
  if (message === null && code === '' && type === '') {
    return providerError(json['error'] || json['finish_reason'] === 'error' ? 'server_error' : 'malformed')
  }
  const byWord = statusByWord.get(code) ?? statusByWord.get(type) ?? (imageCode.test(code) ? 400 : 0)
  const status = Number(code) || byWord
  const isOfRequest = isRefusal && status >= 400 && status < 500
  return providerError(isOfRequest ? classOf(status, words) : 'server_error', { message, param })
}

function classOf(status: number, words: Words | null): ProviderErrorClass {
  const { code = '', type = '', message = '', metadata } = words ?? {}
  // `raw` is the message of a provider that this provider called. It helps to classify the error and is not passed on.
  const text = `${message ?? ''} ${readWord(metadata?.['raw'])}`
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'quota'
  if (status === 429) return /insufficient_quota|billing/.test(`${code} ${type}`) ? 'quota' : 'rate_limit'
  if (status === 503 || status === 529) return 'overloaded'
  if (status === 408) return 'timeout'
  if (status >= 500 || status < 400) return 'server_error'
  if (code === 'context_length_exceeded' || overflow.test(text)) return 'context_overflow'
  const isUnknownModel = status === 404 || code === 'model_not_found' || type === 'invalid_model'
  if (isUnknownModel || /not a valid model ID/i.test(text)) return 'model_not_found'
  if (/content_(?:filter|policy_violation)$/.test(code)) return 'content_filter'
  return 'invalid_request'
}

function readWords(json: JsonObject): Words {
  const inner = json['error']
  const error = isJsonObject(inner) ? inner : json
  const located = readDetail(
    error['detail'] ?? (isJsonObject(error['message']) ? error['message']['detail'] : undefined),
  )
  const message = typeof inner === 'string' ? inner : error['message']
  return {
    message: typeof message === 'string' && message !== '' ? message : located.message,
    code: readWord(error['code']),
    type: readWord(error['type']),
    param: readWord(error['param']) || located.param,
    metadata: isJsonObject(error['metadata']) ? error['metadata'] : {},
  }
}

function readWord(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** A text, or a list of invalid fields. */
function readDetail(detail: unknown): { message: string | null; param: string | null } {
  if (typeof detail === 'string') return { message: detail, param: null }
  if (!Array.isArray(detail)) return { message: null, param: null }
  const errors = detail.filter(isJsonObject).map(error => ({
    message: readWord(error['msg']),
    place: Array.isArray(error['loc']) ? error['loc'].filter(step => step !== 'body').join('.') : '',
  }))
  const message = errors.map(error => (error.place ? `${error.place}: ${error.message}` : error.message)).join('; ')
  return { message: message || null, param: errors[0]?.place || null }
}

function readResetInside(words: Words | null, now: number): number | null {
  const headers = words?.metadata['headers']
  return isJsonObject(headers) ? readReset(headers['X-RateLimit-Reset'], now) : null
}
