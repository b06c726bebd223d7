// Classifies Anthropic's error responses, and errors inside its streams.

import type { Delta } from '../../../domain/conversation/answer.ts'
import {
  type ProviderError,
  type ProviderErrorClass,
  providerError,
} from '../../../domain/conversation/provider-error.ts'
import { isJsonObject, parseJson } from '../../../domain/json-object.ts'
import type { RefusedAnswer } from '../protocol.ts'
import { readRetryAfter } from '../retry-after.ts'

interface Words {
  type: string
  message: string | null
}

const overflow = /prompt is too long|exceeds? (?:the )?(?:model's )?(?:maximum )?context (?:limit|window|length)/i
const unpaid = /credit balance is too low/i

const classByType: Record<string, ProviderErrorClass> = {
  authentication_error: 'auth',
  permission_error: 'auth',
  billing_error: 'quota',
  rate_limit_error: 'rate_limit',
  not_found_error: 'model_not_found',
  overloaded_error: 'overloaded',
  api_error: 'server_error',
  timeout_error: 'server_error',
}

const classByStatus: Record<number, ProviderErrorClass> = {
  401: 'auth',
  402: 'quota',
  403: 'auth',
  404: 'model_not_found',
  408: 'timeout',
  429: 'rate_limit',
  503: 'overloaded',
  529: 'overloaded',
}

/** Names that mean the same in a client's request; other names would only confuse the client. */
const params: Record<string, string> = {
  messages: 'messages',
  system: 'messages',
  tools: 'tools',
  tool_choice: 'tool_choice',
  max_tokens: 'max_tokens',
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
  stop_sequences: 'stop',
  output_config: 'response_format',
}

export function readAnthropicError(answer: RefusedAnswer): ProviderError {
  const { status } = answer
  const words = readWords(parseJson(answer.body))
  return providerError(classOf(status, words), {
    message: words?.message ?? null,
    param: readParam(words?.message ?? ''),
    status,
    retryAfterSeconds: readRetryAfter(answer),
  })
}

/** An error in place of an answer, or in the middle of one. */
export function readInbandError(json: unknown): Delta {
  const words = readWords(json)
  if (words === null) return { type: 'error', error: providerError('malformed') }
  return { type: 'error', error: providerError(classOf(null, words), { message: words.message }) }
}

function classOf(status: number | null, words: Words | null): ProviderErrorClass {
  const { type = '', message = null } = words ?? {}
  const text = message ?? ''
  if (status === null || (status >= 400 && status < 500)) {
    if (unpaid.test(text)) return 'quota'
    if (overflow.test(text)) return 'context_overflow'
  }
  const byStatus = status === null ? undefined : classByStatus[status]
  const byType = Object.hasOwn(classByType, type) ? classByType[type] : undefined
  if (byStatus !== undefined || byType !== undefined) return byStatus ?? byType ?? 'server_error'
  const isRefusal = status === null ? type === 'invalid_request_error' : status >= 400 && status < 500
  return isRefusal ? 'invalid_request' : 'server_error'
}

function readWords(json: unknown): Words | null {
  const error = isJsonObject(json) ? json['error'] : null
  if (!isJsonObject(error)) return null
  const { type, message } = error
  return {
    type: typeof type === 'string' ? type : '',
    message: typeof message === 'string' && message !== '' ? message : null,
  }
}

function readParam(message: string): string | null {
  const [, name = ''] = /^([a-z_]+)(?:\.[\w.]+)?: /.exec(message) ?? []
  return Object.hasOwn(params, name) ? (params[name] ?? null) : null
}
