// Classifies Gemini's error responses and errors inside its streams, which may come in an array or as JSON between
// events.

import type { Delta } from '../../../domain/conversation/answer.ts'
import {
  type ProviderError,
  type ProviderErrorClass,
  providerError,
} from '../../../domain/conversation/provider-error.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../domain/json-object.ts'
import type { RefusedAnswer } from '../protocol.ts'
import { readRetryAfter } from '../retry-after.ts'

interface Words {
  message: string | null
  /** Repeats the HTTP status. */
  code: number
  status: string
  details: JsonObject[]
}

const overflow =
  /token count[^.]{0,80}exceed|exceeds? the maximum number of (?:input )?tokens|(?:input|prompt|context)[^.]{0,40} too (?:long|large)/i
const unpaid = /prepa(?:id|yment)|credits? (?:is|are|has|have)[^.]{0,20} (?:depleted|exhausted)|enable billing/i

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
  contents: 'messages',
  system_instruction: 'messages',
  tools: 'tools',
  tool_config: 'tool_choice',
  'generation_config.temperature': 'temperature',
  'generation_config.top_p': 'top_p',
  'generation_config.top_k': 'top_k',
  'generation_config.max_output_tokens': 'max_tokens',
  'generation_config.stop_sequences': 'stop',
  'generation_config.candidate_count': 'n',
  'generation_config.response_json_schema': 'response_format',
  'generation_config.response_schema': 'response_format',
}

export function readGeminiError(answer: RefusedAnswer): ProviderError {
  const { status } = answer
  const words = readWords(parseJson(answer.body))
  return providerError(classOf(status, words), {
    message: words?.message ?? null,
    param: readParam(words),
    status,
    retryAfterSeconds: readRetryAfter(answer) ?? readRetryDelay(words),
  })
}

/**
 * An error inside a response of status 200. Before any answer (`isRefusal`), the provider rejected the request; in the
 * middle of an answer, the provider itself failed.
 */
export function readInbandError(json: unknown, isRefusal: boolean): Delta {
  return { type: 'error', error: readError(json, isRefusal) }
}

function readError(json: unknown, isRefusal: boolean): ProviderError {
  const words = readWords(json)
  if (words === null) return providerError('malformed')
  const { message, code } = words
  const errorClass = isRefusal && code >= 400 ? classOf(code, words) : 'server_error'
  const retryAfterSeconds = isRefusal ? readRetryDelay(words) : null
  return providerError(errorClass, { message, param: readParam(words), retryAfterSeconds })
}

/** Lines between events: JSON, whole or with parts of an array around it. Null if it is not an error. */
export function readStrayError(text: string, isRefusal: boolean): ProviderError | null {
  const whole = parseJson(text)
  const json = whole === undefined ? parseJson(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) : whole
  return readWords(json) === null ? null : readError(json, isRefusal)
}

function classOf(status: number, words: Words | null): ProviderErrorClass {
  const text = words?.message ?? ''
  if (reasonOf(words) === 'API_KEY_INVALID' || words?.status === 'UNAUTHENTICATED') return 'auth'
  if (status >= 400 && status < 500 && unpaid.test(text)) return 'quota'
  if ((status === 400 || status === 413) && overflow.test(text)) return 'context_overflow'
  const byStatus = classByStatus[status]
  if (byStatus !== undefined) return byStatus
  return status >= 400 && status < 500 ? 'invalid_request' : 'server_error'
}

function readWords(json: unknown): Words | null {
  const value: unknown = Array.isArray(json) ? json.find(item => isJsonObject(item) && item['error']) : json
  const error = isJsonObject(value) ? value['error'] : null
  if (!isJsonObject(error)) return null
  const { message, code, status, details } = error
  return {
    message: typeof message === 'string' && message !== '' ? message : null,
    code: typeof code === 'number' ? code : 0,
    status: typeof status === 'string' ? status : '',
    details: Array.isArray(details) ? details.filter(isJsonObject) : [],
  }
}

function reasonOf(words: Words | null): unknown {
  return words?.details.find(({ reason }) => reason !== undefined)?.['reason']
}

function readRetryDelay(words: Words | null): number | null {
  const delay = words?.details.find(({ retryDelay }) => retryDelay !== undefined)?.['retryDelay']
  const seconds = typeof delay === 'string' ? Number(/^([\d.]+)s$/.exec(delay)?.[1] ?? Number.NaN) : Number.NaN
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : null
}

function readParam(words: Words | null): string | null {
  for (const { fieldViolations } of words?.details ?? []) {
    if (!Array.isArray(fieldViolations)) continue
    for (const violation of fieldViolations) {
      const field = isJsonObject(violation) ? violation['field'] : null
      const param = typeof field === 'string' ? paramOf(field) : null
      if (param !== null) return param
    }
  }
  return null
}

/** The name of the longest prefix of the path that has one. */
function paramOf(field: string): string | null {
  const steps = field
    .replaceAll(/\[\d*\]/g, '')
    .split('.')
    .slice(0, 2)
  const [whole = '', first = ''] = [steps.join('.'), steps[0]]
  if (Object.hasOwn(params, whole)) return params[whole] ?? null
  return Object.hasOwn(params, first) ? (params[first] ?? null) : null
}
