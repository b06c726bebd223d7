// Tests how refusals of providers that speak Chat Completions are read.
import { describe, expect, it } from 'vitest'
import { openai } from './chat-stage.ts'

describe('refusals', () => {
  const read = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    openai.readError({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body), now: 1_000_000 })

  it.each<[string, number, unknown, string]>([
    ['a bad key', 401, { error: { message: 'Incorrect', code: 'invalid_api_key' } }, 'auth'],
    ['a key without permission', 403, {}, 'auth'],
    ['no credits', 402, {}, 'quota'],
    ['no quota', 429, { error: { message: 'x', type: 'insufficient_quota' } }, 'quota'],
    ['too fast', 429, { error: { message: 'x', code: 'rate_limit_exceeded' } }, 'rate_limit'],
    ['no such model', 404, { error: { message: 'x' } }, 'model_not_found'],
    [
      'no such model, Mistral',
      400,
      { object: 'error', type: 'invalid_model', code: '1500', message: 'x' },
      'model_not_found',
    ],
    [
      'no such model, OpenRouter',
      400,
      { error: { code: 400, message: 'x is not a valid model ID' } },
      'model_not_found',
    ],
    ['too long', 400, { error: { message: 'x', code: 'context_length_exceeded' } }, 'context_overflow'],
    [
      'too long, in words',
      400,
      { error: { code: 400, message: "This endpoint's maximum context length is 8192 tokens." } },
      'context_overflow',
    ],
    [
      'too long, Mistral',
      400,
      { message: 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length' },
      'context_overflow',
    ],
    [
      'too long for the provider behind this one',
      400,
      {
        error: {
          code: 400,
          message: 'Provider returned error',
          metadata: {
            raw: '{"type":"error","error":{"message":"prompt is too long: 208310 tokens > 200000 maximum"}}',
          },
        },
      },
      'context_overflow',
    ],
    ['filtered', 400, { error: { message: 'x', code: 'content_filter' } }, 'content_filter'],
    ['anything else', 400, { error: { message: 'x' } }, 'invalid_request'],
    ['too large', 413, 'nope', 'invalid_request'],
    ['a fault of theirs', 500, 'oops', 'server_error'],
    ['a bad gateway', 502, '<html>', 'server_error'],
    ['overload', 503, '', 'overloaded'],
    ['overload by another number', 529, '', 'overloaded'],
  ])('%s', (_, status, body, errorClass) => {
    expect(read(status, body)).toMatchObject({ class: errorClass, status })
  })

  it('names field and words', () => {
    const error = { message: "Bad 'temperature'", param: 'temperature' }
    expect(read(400, { error })).toMatchObject({ message: "Bad 'temperature'", param: 'temperature' })
    const detail = [
      { type: 'extra_forbidden', loc: ['body', 'messages', 0, 'name'], msg: 'Extra inputs are not permitted' },
    ]
    const expected = { message: 'messages.0.name: Extra inputs are not permitted', param: 'messages.0.name' }
    expect(read(422, { object: 'error', message: { detail }, code: null })).toMatchObject(expected)
    expect(read(422, { detail })).toMatchObject(expected)
    expect(read(401, { detail: 'Invalid API Key' }).message).toBe('Invalid API Key')
    expect(read(503, '<html>secret</html>').message).toBe(null)
  })

  it.each<[Record<string, string>, unknown, number | null]>([
    [{ 'retry-after-ms': '1574', 'retry-after': '9' }, {}, 2],
    [{ 'retry-after': '3' }, {}, 3],
    [{ 'retry-after': '0' }, {}, 1],
    [{ 'retry-after': new Date(1_009_500).toUTCString() }, {}, 9],
    [{ 'retry-after': 'soon' }, {}, null],
    [{ 'x-ratelimit-reset': '1754667660000' }, {}, 1754666660],
    [{ 'x-ratelimit-reset': '12' }, {}, null],
    [{}, { error: { message: 'x', metadata: { headers: { 'X-RateLimit-Reset': '1754667660000' } } } }, 1754666660],
    [{}, {}, null],
  ])('waits %j %j', (headers, body, seconds) => {
    expect(read(429, body, headers).retryAfterSeconds).toBe(seconds)
  })
})
