// Renders refusals in OpenAI's error format: as a body, and as the last event of a stream.

import type { Refusal, RefusalCode, RefusalStatus } from '../domain/errors.ts'
import type { JsonObject } from '../domain/json-object.ts'
import { nullable, text } from './schema-parts.ts'

const typeOfStatus: Record<RefusalStatus, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'invalid_request_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'invalid_request_error',
  409: 'invalid_request_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  431: 'invalid_request_error',
  500: 'server_error',
  502: 'server_error',
  503: 'server_error',
}

/** Errors whose type differs from that of their status. */
const typeOfCode: Partial<Record<RefusalCode, string>> = {
  service_disabled: 'server_error',
  user_blocked: 'server_error',
  token_revoked: 'server_error',
  client_system_message_rejected: 'invalid_request_error',
  client_tools_rejected: 'invalid_request_error',
  client_field_rejected: 'invalid_request_error',
  prompt_required: 'invalid_request_error',
  pii_blocked: 'guardrail_error',
  content_blocked: 'guardrail_error',
  // OpenAI's own type for an account without credit.
  insufficient_quota: 'insufficient_quota',
}

const errorTypes = [...new Set([...Object.values(typeOfStatus), ...Object.values(typeOfCode)])].sort()

export function errorBody(refusal: Refusal): { error: object } {
  const { code, row, details, message } = refusal
  const type = typeOfCode[code] ?? typeOfStatus[row.status]
  return { error: { message, type, param: details.param ?? null, code: row.code ?? null } }
}

export function errorFrame(refusal: Refusal): string {
  return `data: ${JSON.stringify(errorBody(refusal))}\n\n`
}

/** The JSON Schema of an error's body. */
export function describeError(description: string): JsonObject {
  const properties = {
    message: text,
    type: { type: 'string', enum: errorTypes },
    param: { ...nullable(text), description: 'The invalid field or header' },
    code: { ...nullable(text), description: 'The code for programs, if the error has one' },
  }
  const anyObject = { type: 'object', additionalProperties: false }
  const error = { ...anyObject, required: Object.keys(properties), properties }
  return { ...anyObject, description, required: ['error'], properties: { error } }
}
