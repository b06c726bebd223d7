// Renders refusals in Anthropic's error format: as a body, and as the last event of a stream.

import type { Refusal, RefusalCode, RefusalStatus } from '../../domain/errors.ts'
import { omitAbsent } from '../../domain/json-object.ts'

const typeOfStatus: Record<RefusalStatus, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'timeout_error',
  409: 'invalid_request_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  431: 'invalid_request_error',
  500: 'api_error',
  502: 'api_error',
  503: 'api_error',
}

/** Errors whose type differs from that of their status. */
const typeOfCode: Partial<Record<RefusalCode, string>> = {
  provider_timeout: 'timeout_error',
  busy: 'overloaded_error',
}

export const errorTypes = [...new Set([...Object.values(typeOfStatus), ...Object.values(typeOfCode)])].sort()

export interface ErrorBody {
  type: 'error'
  error: { type: string; message: string; details?: { error_code: string } }
  request_id: string
}

export function errorBody(refusal: Refusal, requestId: string): ErrorBody {
  const { code, row } = refusal
  const error = omitAbsent<ErrorBody['error']>({
    type: typeOfCode[code] ?? typeOfStatus[row.status],
    message: messageOf(refusal),
    details: row.code === undefined ? undefined : { error_code: row.code },
  })
  return { type: 'error', error, request_id: requestId }
}

export function errorFrame(refusal: Refusal, requestId: string): string {
  return `event: error\ndata: ${JSON.stringify(errorBody(refusal, requestId))}\n\n`
}

const overflow = 'prompt is too long'

/** Clients recognise an overflow by the provider's phrase at the beginning, and then shorten the conversation. */
function messageOf({ code, message }: Refusal): string {
  if (code !== 'context_length_exceeded') return message
  const at = message.indexOf(overflow)
  return at === -1 ? `${overflow}: ${message}` : message.slice(at)
}
