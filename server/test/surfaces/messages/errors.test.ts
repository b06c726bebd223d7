// Tests the type of every error as Anthropic's clients read it: they decide by it whether to retry.
import { describe, expect, test } from 'vitest'
import { Refusal, type RefusalCode } from '../../../src/domain/errors.ts'
import { errorBody } from '../../../src/surfaces/messages/errors.ts'

const table: readonly [status: number, type: string, code: RefusalCode][] = [
  [400, 'invalid_request_error', 'invalid_request'],
  [401, 'authentication_error', 'invalid_token'],
  [402, 'billing_error', 'quota_exceeded'],
  [403, 'permission_error', 'forbidden'],
  [404, 'not_found_error', 'not_found'],
  [405, 'invalid_request_error', 'method_not_allowed'],
  [408, 'timeout_error', 'request_timeout'],
  [409, 'invalid_request_error', 'tier_limit'],
  [413, 'request_too_large', 'payload_too_large'],
  [415, 'invalid_request_error', 'unsupported_media_type'],
  [422, 'invalid_request_error', 'model_not_configured'],
  [429, 'rate_limit_error', 'insufficient_quota'],
  [431, 'invalid_request_error', 'headers_too_large'],
  [500, 'api_error', 'internal'],
  [502, 'api_error', 'provider_unavailable'],
  [503, 'api_error', 'draining'],
]

const typeOf = (code: RefusalCode) => errorBody(new Refusal(code), 'r').error.type

test.each(table)('%i is %s', (status, type, code) => {
  expect(new Refusal(code).row.status).toBe(status)
  expect(typeOf(code)).toBe(type)
})

describe('codes whose type is not that of their status', () => {
  test.each([
    ['busy', 'overloaded_error', 503],
    ['provider_timeout', 'timeout_error', 502],
  ] as const)('%s is %s', (code, type, status) => {
    expect(new Refusal(code).row.status).toBe(status)
    expect(typeOf(code)).toBe(type)
  })
})
