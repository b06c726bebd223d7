// Classifies Bedrock's error responses, whose kind is in a header, and the exceptions within its streams.

import {
  type ProviderError,
  type ProviderErrorClass,
  providerError,
} from '../../../domain/conversation/provider-error.ts'
import { isJsonObject, parseJson } from '../../../domain/json-object.ts'
import type { RefusedAnswer } from '../protocol.ts'
import { readRetryAfter } from '../retry-after.ts'

const overflow =
  /input is too long|prompt is too long|too many (?:input )?tokens|exceeds? (?:the )?(?:model'?s )?(?:maximum )?(?:context|input token|token) (?:limit|window|length|count)|maximum (?:context|number of input)/i
const unknownModel =
  /model identifier is invalid|on-demand throughput isn.t supported|could not resolve the foundation/i

const classByKind: Record<string, ProviderErrorClass> = {
  accessdenied: 'auth',
  unrecognizedclient: 'auth',
  invalidsignature: 'auth',
  incompletesignature: 'auth',
  expiredtoken: 'auth',
  invalidclienttokenid: 'auth',
  missingauthenticationtoken: 'auth',
  servicequotaexceeded: 'quota',
  throttling: 'rate_limit',
  resourcenotfound: 'model_not_found',
  modeltimeout: 'timeout',
  modelnotready: 'overloaded',
  serviceunavailable: 'overloaded',
  modelerror: 'server_error',
  modelstreamerror: 'server_error',
  internalserver: 'server_error',
}

const classByStatus: Record<number, ProviderErrorClass> = {
  401: 'auth',
  403: 'auth',
  404: 'model_not_found',
  408: 'timeout',
  424: 'server_error',
  429: 'rate_limit',
  503: 'overloaded',
}

export function readBedrockError(answer: RefusedAnswer): ProviderError {
  const { status, headers } = answer
  const json = parseJson(answer.body)
  const named = headers['x-amzn-errortype'] ?? (isJsonObject(json) ? json['__type'] : undefined)
  const message = readMessage(json)
  return providerError(classOf(String(named ?? ''), status, message ?? ''), {
    message,
    status,
    retryAfterSeconds: readRetryAfter(answer),
  })
}

/** An exception in place of an answer (`isRefusal`), or in the middle of one. */
export function readException(kind: string, json: unknown, isRefusal: boolean): ProviderError {
  const message = readMessage(json)
  return providerError(isRefusal ? classOf(kind, 400, message ?? '') : 'server_error', { message })
}

function classOf(kind: string, status: number, message: string): ProviderErrorClass {
  // `ValidationException:http://…`, `com.amazon.coral#ValidationException`
  const [, name = ''] = /(?:^|#)(\w+?)(?:Exception|Error)?(?:$|:)/.exec(kind) ?? []
  const word = name.toLowerCase()
  if (status >= 400 && status < 500) {
    if (overflow.test(message)) return 'context_overflow'
    if (unknownModel.test(message)) return 'model_not_found'
  }
  const byKind = Object.hasOwn(classByKind, word) ? classByKind[word] : classByStatus[status]
  if (byKind !== undefined) return byKind
  return status >= 400 && status < 500 ? 'invalid_request' : 'server_error'
}

function readMessage(json: unknown): string | null {
  if (!isJsonObject(json)) return null
  const message = json['message'] ?? json['Message']
  return typeof message === 'string' && message !== '' ? message : null
}
