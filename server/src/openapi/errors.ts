// Which errors each kind of route of the data plane can answer, by the step at which they occur, and what the document
// says of them. Statuses, messages and bodies are those of the errors' own table and formats.

import type { Ending } from '../call/admitted-call.ts'
import { Refusal, type RefusalCode, type RefusalDetails } from '../domain/errors.ts'
import { unknownRoute } from '../gateway/routes.ts'
import { type ErrorFormat, gatewayErrors } from '../http/error-formats.ts'
import type { Response, Schema } from '../http/openapi-types.ts'
import { wordsOf } from '../management/plane/openapi-document.ts'
import type { Surface } from '../surfaces/surface.ts'
import { headersOf } from './headers.ts'

export interface ErrorGroup {
  /** The steps before the surface's own format counts; some errors have the gateway's wherever they occur. */
  format: 'gateway' | 'surface'
  codes: readonly RefusalCode[]
}

const ofRequest: ErrorGroup = {
  format: 'gateway',
  codes: [
    ...(['bad_request', 'malformed_target', 'headers_too_large', 'request_timeout'] as const),
    ...(['unknown_host', 'busy', 'config_unavailable', 'internal'] as const),
    ...(['bearer_required', 'api_key_as_token', 'invalid_token', 'token_expired', 'wrong_project_token'] as const),
    ...(['key_set_unavailable', 'traffic_suspended', 'service_disabled', 'user_blocked', 'token_revoked'] as const),
    ...(['rate_limited', 'inference_unavailable'] as const),
  ],
}

/** What can end an answer in flight, besides a client that leaves. */
const endings = ['service_disabled', 'user_blocked', 'token_revoked', 'server_shutting_down'] satisfies Exclude<
  Ending,
  'client_gone'
>[]

/** In one process, and where a gateway forwards to an inference service. */
const ofAnswer: ErrorGroup = {
  format: 'surface',
  codes: [...endings, 'provider_unavailable', 'provider_timeout', 'database_unavailable', 'internal'],
}

const ofTier: ErrorGroup = { format: 'surface', codes: ['unknown_tier'] }

export const everyRoute = [ofRequest, ofTier, ofAnswer]

export const completionErrors: ErrorGroup[] = [
  { format: 'gateway', codes: ['unsupported_media_type', 'payload_too_large', 'too_many_bodies'] },
  {
    format: 'surface',
    codes: [
      ...(['invalid_json', 'invalid_request', 'client_tools_rejected', 'client_system_message_rejected'] as const),
      ...(['client_field_rejected', 'prompt_required', 'prompt_not_found'] as const),
      ...(['model_not_supported', 'unsupported_tool', 'model_not_priced', 'insufficient_quota'] as const),
      ...(['model_not_configured', 'model_without_key', 'provider_key_unreadable', 'store_unavailable'] as const),
      ...(['provider_auth_error', 'quota_exceeded', 'provider_rate_limited', 'context_length_exceeded'] as const),
      ...(['model_not_found', 'provider_invalid_request', 'content_filter'] as const),
      ...(['pii_blocked', 'content_blocked', 'guardrail_unavailable', 'guarded_text_too_large'] as const),
    ],
  },
]
/** Errors of routes whose query may name a user. */
export const userErrors: ErrorGroup = { format: 'surface', codes: ['invalid_request', 'not_own_user'] }
export const listErrors: ErrorGroup = { format: 'surface', codes: ['validation_failed'] }
export const listQueryErrors: ErrorGroup = { format: 'surface', codes: ['invalid_request'] }
export const modelErrors: ErrorGroup = { format: 'surface', codes: ['model_not_found'] }
export const threadErrors: ErrorGroup = { format: 'surface', codes: ['thread_not_found'] }
export const feedbackErrors: ErrorGroup[] = [
  { format: 'gateway', codes: ['unsupported_media_type', 'payload_too_large', 'too_many_bodies', 'invalid_json'] },
  { format: 'surface', codes: ['invalid_request', 'request_not_found'] },
]
export const responseErrors: ErrorGroup = { format: 'surface', codes: ['response_not_found'] }
/** Errors of requests that no operation describes. */
const ofNoRoute: ErrorGroup = { format: 'gateway', codes: ['not_found', 'method_not_allowed'] }

/** The last event of a stream that fails. */
export const streamErrors: readonly RefusalCode[] = [
  ...endings,
  'provider_unavailable',
  'provider_timeout',
  // A guardrail ends the answer.
  'pii_blocked',
  'content_blocked',
  'guardrail_unavailable',
  'internal',
]

export const sampleRequestId = '0197c2d4-5f6a-7b8c-9d0e-1f2a3b4c5d6e'

/** Where an error names a field, a type or a route. */
const samples: Partial<Record<RefusalCode, RefusalDetails>> = {
  not_found: { message: unknownRoute },
  invalid_request: { message: 'temperature must be a number 0 to 2', param: 'temperature' },
  validation_failed: { message: 'limit must be an integer 1-200', param: 'limit' },
  client_tools_rejected: { param: 'tools' },
  client_field_rejected: { param: 'temperature' },
  prompt_not_found: { message: 'The project has no prompt "summary"' },
  unknown_tier: { message: 'The project has no tier "gold"' },
  client_system_message_rejected: { param: 'messages[0].role' },
  pii_blocked: { message: 'Request blocked: detected PII types [EMAIL_ADDRESS, PERSON]' },
}

interface DescribedError {
  code: RefusalCode
  isGateways: boolean
}

export function describeErrors(groups: readonly ErrorGroup[], surface: Surface): Record<string, Response> {
  const errors = groups.flatMap(listErrorsOf)
  const byStatus = [...Map.groupBy(errors, ({ code }) => new Refusal(code).row.status)].sort(([a], [b]) => a - b)
  const responses = byStatus.map(([status, ofStatus]) => [status, describeStatus(String(status), ofStatus, surface)])
  const noRoute = describeStatus('default', listErrorsOf(ofNoRoute), surface)
  return {
    ...Object.fromEntries(responses),
    default: { ...noRoute, description: `Another path or method: ${noRoute.description}` },
  }
}

function listErrorsOf({ format, codes }: ErrorGroup): DescribedError[] {
  return codes.map(code => ({ code, isGateways: format === 'gateway' || new Refusal(code).row.isGateways === true }))
}

function describeStatus(status: string, errors: readonly DescribedError[], surface: Surface): Response {
  const schemas = [...new Set(errors.map(({ isGateways }) => schemaNameOf(isGateways, surface)))].map(
    (name): Schema => ({ $ref: `#/components/schemas/${name}` }),
  )
  const [only] = schemas
  return {
    description: [...new Set(errors.map(messageOf))].join('; '),
    headers: headersOf(status),
    content: {
      'application/json': {
        schema: only !== undefined && schemas.length === 1 ? only : { anyOf: schemas },
        examples: Object.fromEntries(
          errors.map(({ code, isGateways }) => {
            const isBoth = errors.some(other => other.code === code && other.isGateways !== isGateways)
            return [isBoth && !isGateways ? `${code}_later` : code, { value: bodyOf(code, isGateways, surface) }]
          }),
        ),
      },
    },
  }
}

function messageOf({ code, isGateways }: DescribedError): string {
  if (code === 'invalid_request') return 'Describes the invalid field or header, which `param` names'
  // The gateway's format has no code.
  return isGateways ? new Refusal(code).message : wordsOf(code)
}

function schemaNameOf(isGateways: boolean, surface: Surface): string {
  return isGateways && surface.gatewayErrors === gatewayErrors ? 'GatewayError' : surface.errorSchema
}

function bodyOf(code: RefusalCode, isGateways: boolean, surface: Surface): unknown {
  const format: ErrorFormat = isGateways ? surface.gatewayErrors : surface
  return format.errorBody(new Refusal(code, samples[code]), sampleRequestId)
}

export const gatewayErrorSchema: Schema = {
  type: 'object',
  description: 'An error of the gateway, from before the request was answered',
  required: ['error', 'message'],
  additionalProperties: false,
  properties: {
    error: { type: 'string', description: 'What the status is called, in lower case' },
    message: { type: 'string' },
  },
}
