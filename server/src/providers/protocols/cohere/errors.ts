// Classifies Cohere's error responses, and errors inside its answers.

import {
  type ProviderError,
  type ProviderErrorClass,
  providerError,
} from '../../../domain/conversation/provider-error.ts'
import { isJsonObject, parseJson } from '../../../domain/json-object.ts'
import type { RefusedAnswer } from '../protocol.ts'
import { readRetryAfter } from '../retry-after.ts'

interface Words {
  message: string | null
  type: string
}

const overflow = /too many tokens|size limit exceeded|context length/i
/** Limits that waiting does not lift: the monthly ones of free keys. */
const usedUp = /calls \/ month|monthly/i

const classByStatus: Record<number, ProviderErrorClass> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'model_not_found',
  408: 'timeout',
  429: 'rate_limit',
  // The provider's usage rules were violated.
  498: 'content_filter',
  // The provider cancelled the request.
  499: 'server_error',
  503: 'overloaded',
  529: 'overloaded',
}

export function readCohereError(answer: RefusedAnswer): ProviderError {
  const { status } = answer
  const words = readWords(parseJson(answer.body))
  return providerError(classOf(status, words), {
    message: words?.message ?? null,
    status,
    retryAfterSeconds: readRetryAfter(answer),
  })
}

/** An error that came with status 200. `word` is the finish reason that announces it, if any. */
export function readInnerError(json: unknown, word: string | null): ProviderError {
  const words = readWords(json)
  if (word === null && words === null) return providerError('malformed')
  return providerError(word === 'TIMEOUT' ? 'timeout' : 'server_error', { message: words?.message ?? null })
}

function classOf(status: number, words: Words | null): ProviderErrorClass {
  const { type = '', message = null } = words ?? {}
  const text = message ?? ''
  if (status >= 400 && status < 500 && (type === 'TOO_MANY_TOKENS' || overflow.test(text))) return 'context_overflow'
  if (status === 429 && usedUp.test(text)) return 'quota'
  const byStatus = classByStatus[status]
  if (byStatus !== undefined) return byStatus
  return status >= 400 && status < 500 ? 'invalid_request' : 'server_error'
}

function readWords(json: unknown): Words | null {
  if (!isJsonObject(json)) return null
  const { message, error, error_type } = json
  const said = [message, error, isJsonObject(error) ? error['message'] : null].find(
    (text): text is string => typeof text === 'string' && text !== '',
  )
  const type = typeof error_type === 'string' ? error_type : ''
  return said === undefined && type === '' ? null : { message: said ?? null, type }
}
