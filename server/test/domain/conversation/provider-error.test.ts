// What each class of fault means to a client, and what is taken out of a provider's words.

import { describe, expect, it, test } from 'vitest'
import {
  type ProviderErrorClass,
  providerError,
  refusalOfBrokenAnswer,
  refusalOfProviderError,
} from '../../../src/domain/conversation/provider-error.ts'
import { scrubProviderText } from '../../../src/domain/conversation/scrub-provider-text.ts'
import { chatCompletions } from '../../../src/surfaces/chat-completions/chat-completions.ts'
import { processorMsOf } from '../../support/slowness.ts'

describe('refusals', () => {
  it.each<[ProviderErrorClass, number, string | null, boolean]>([
    ['auth', 502, 'provider_auth_error', true],
    ['quota', 402, 'quota_exceeded', true],
    ['rate_limit', 429, 'rate_limit_exceeded', false],
    ['context_overflow', 400, 'context_length_exceeded', true],
    ['model_not_found', 404, 'model_not_found', true],
    ['invalid_request', 400, null, true],
    ['content_filter', 400, 'content_filter', true],
    ['overloaded', 502, 'provider_unavailable', false],
    ['server_error', 502, 'provider_unavailable', false],
    ['network', 502, 'provider_unavailable', false],
    ['malformed', 502, 'provider_unavailable', false],
    ['truncated', 502, 'provider_unavailable', false],
    ['timeout', 502, 'provider_timeout', false],
  ])('%s', (errorClass, status, code, isHopeless) => {
    const refusal = refusalOfProviderError(providerError(errorClass))
    expect(refusal.row.status).toBe(status)
    expect(chatCompletions.errorBody(refusal, '')).toMatchObject({ error: { code } })
    expect(refusal.details.headers?.['x-should-retry']).toBe(isHopeless ? 'false' : undefined)
  })

  it('hands on words and field of a request fault', () => {
    const error = providerError('invalid_request', { message: 'temperature: range: 0..1', param: 'temperature' })
    expect(chatCompletions.errorBody(refusalOfProviderError(error), '')).toEqual({
      error: { message: 'temperature: range: 0..1', type: 'invalid_request_error', param: 'temperature', code: null },
    })
  })

  it('keeps the words of an account to itself', () => {
    const error = providerError('quota', { message: 'You can only afford 10114 tokens' })
    expect(refusalOfProviderError(error).message).not.toContain('10114')
  })

  it('says the words by which clients know an overflow', () => {
    const foreign = refusalOfProviderError(
      providerError('context_overflow', { message: 'prompt is too long: 9 tokens' }),
    )
    expect(foreign.message).toMatch(/maximum context length.*prompt is too long/)
    const known = providerError('context_overflow', { message: "This model's maximum context length is 8192 tokens." })
    expect(refusalOfProviderError(known).message).toBe("This model's maximum context length is 8192 tokens.")
  })

  it.each([
    [null, 1, undefined],
    [0, 1, undefined],
    [2, 2, undefined],
    [60, 60, undefined],
    [61, 61, 'false'],
  ])('Retry-After %s', (retryAfterSeconds, expected, hint) => {
    const { details } = refusalOfProviderError(providerError('rate_limit', { retryAfterSeconds }))
    expect([details.retryAfterSeconds, details.headers?.['x-should-retry']]).toEqual([expected, hint])
  })

  it('ends a stream in an error of a server', () => {
    const frameOf = (errorClass: ProviderErrorClass): unknown => {
      const frame = chatCompletions.errorFrame(refusalOfBrokenAnswer(providerError(errorClass, { param: 'x' })), '')
      return JSON.parse(/^data: (.*)\n\n$/.exec(frame)?.[1] ?? '')
    }
    expect(frameOf('truncated')).toEqual({
      error: {
        message: "The provider's stream broke off",
        type: 'server_error',
        param: null,
        code: 'provider_unavailable',
      },
    })
    expect(frameOf('timeout')).toMatchObject({ error: { param: null, code: 'provider_timeout' } })
  })

  it.each<[ProviderErrorClass, before: string, within: string]>([
    ['overloaded', 'The provider answered with an error', 'The provider answered with an error'],
    ['server_error', 'The provider answered with an error', 'The provider answered with an error'],
    ['rate_limit', 'The provider limits the rate of requests', 'The provider answered with an error'],
    ['malformed', 'The provider answered with an error', "The provider's stream broke off"],
    ['truncated', "The provider's stream broke off", "The provider's stream broke off"],
    ['network', 'The provider could not be reached', "The provider's stream broke off"],
    ['timeout', 'The provider did not answer in time', 'The provider did not answer in time'],
  ])('say of %s what happened, before an answer and within one', (errorClass, before, within) => {
    const error = providerError(errorClass, { message: 'inside' })
    expect([refusalOfProviderError(error).message, refusalOfBrokenAnswer(error).message]).toEqual([before, within])
  })
})

describe('scrubbing', () => {
  test.each(['invalid_request', 'content_filter', 'context_overflow'] as const)('a shown message: %s', errorClass => {
    const error = providerError(errorClass, { message: `Bad value for org-abc123DEF${' and'.repeat(1000)}` })
    const { message } = refusalOfProviderError(error)
    expect(message).toContain('Bad value for [id]')
    expect(message.length).toBeLessThan(2_100)
  })

  const secrets = [
    'sk-inval****',
    'sk-proj-abcdefghijklmnop',
    'sk-ant-api03-abcdefghijklmnop',
    'bad-key-**********test',
    'AIzaSyA1234567890abcdefghijklmnopqrstuvw',
    'AQ.Ab8RN6Kabcdefghijklmnop',
    'ya29.a0AfH6SMBabcdefghijk',
    'Bearer abcdefghijklmnop',
    'org-abc123DEF456',
    'user_2abcDEF34567',
    'proj_abc123DEF456',
    'acct_1AbCdEfGhIjK',
    'eyJhbGciOiJI.eyJzdWIiOiIx.abc',
    'someone@example.com',
  ]
  it.each(secrets)('%s', secret => {
    const scrubbed = scrubProviderText(`Refused: ${secret}. See the documentation.`)
    expect(scrubbed).not.toContain(secret.replace('Bearer ', ''))
    expect(scrubbed).toMatch(/^Refused: .*See the documentation\.$/)
  })

  it('takes out a key of any shape that is called one', () => {
    expect(scrubProviderText('Incorrect API key provided: 9f8e7d6c5b4a. You can find')).not.toContain('9f8e7d6c')
    expect(scrubProviderText('Consumer projects/123456789 has no access')).not.toContain('123456789')
    expect(scrubProviderText('Rate limit in organization 0a1b2c3d-4e5f on tokens')).not.toContain('0a1b2c3d')
  })

  it('leaves ordinary words alone', () => {
    const words = [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "Invalid 'tools[0].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.",
      'messages.1.content: the task-list of the user may not be empty; key-value pairs are 3 * 4 ** 2',
      'temperature: range: 0..1 for the project team-building plan',
    ]
    for (const text of words) expect(scrubProviderText(text)).toBe(text)
  })

  it('bounds what it reads', () => {
    const tookMs = processorMsOf(() => {
      expect(scrubProviderText('a-'.repeat(5_000_000)).length).toBeLessThan(3000)
      expect(scrubProviderText('*'.repeat(2000)).length).toBeLessThan(3000)
    })
    expect(tookMs).toBeLessThan(1000)
  })
})
