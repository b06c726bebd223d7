// Tests the client's view of every class of provider failure, through the real product; and when it is told 200.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorResponse, eventStream, openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import type { UpstreamAnswer } from '../../support/simulated/scripted-upstream.ts'
import { roomFor } from '../../support/slowness.ts'
import { eventsOf, openStage, platformKey, type Stage, type TestProject, textOf } from '../inference-stage.ts'
import { greeting } from './answer-stage.ts'

let stage: Stage
let project: TestProject

beforeAll(async () => {
  stage = await openStage('sqlite', {
    PLATFORM_OPENAI_API_KEY: platformKey,
    PLATFORM_DEFAULT_MODEL: 'openai/gpt-4o',
    UPSTREAM_TIMEOUT: '2',
    UPSTREAM_IDLE_TIMEOUT: '2',
  })
  project = await stage.makeProject()
})
afterAll(() => stage.stop())
beforeEach(() => {
  stage.upstream.requests.length = 0
})

describe('200 is said only when the first event has come', () => {
  test('and what went wrong before it has a status of its own', async () => {
    stage.script(eventStream(['data: {"error":{"message":"over","type":"server_error","code":null}}\n\n']))
    const answer = await project.complete({ stream: true })
    expect(answer).toMatchObject({
      status: 502,
      body: { error: { type: 'server_error', code: 'provider_unavailable' } },
    })
    // The provider has answered; a retry would be charged twice.
    expect(stage.upstream.requests).toHaveLength(1)
  })

  test.each([
    ['requests', 'rate_limit_exceeded', 429, 'rate_limit_exceeded'],
    ['insufficient_quota', null, 402, 'quota_exceeded'],
    ['invalid_request_error', 'invalid_api_key', 502, 'provider_auth_error'],
    ['invalid_request_error', 'context_length_exceeded', 400, 'context_length_exceeded'],
    ['invalid_request_error', 'unsupported_value', 400, null],
  ])('and a refusal of type %s and code %s in its place is one', async (type, code, status, told) => {
    stage.script(eventStream([`data: ${JSON.stringify({ error: { message: 'no', type, param: null, code } })}\n\n`]))
    expect(await project.complete({ stream: true })).toMatchObject({ status, body: { error: { code: told } } })
  })

  test('and the head does not wait for the rest', async () => {
    const [first = '', ...rest] = openaiEvents(greeting)
    const { promise: gate, resolve: goOn } = Promise.withResolvers<void>()
    stage.script({
      async write(response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(first)
        await gate
        response.end(rest.join(''))
      },
    })
    const answer = await project.open()
    expect(answer.status).toBe(200)
    goOn()
    expect(await answer.ended).toBe(true)
    expect(textOf(eventsOf(answer.text()))).toBe('Hello there')
  })
})

describe('a fault of the provider', () => {
  type Row = [string, UpstreamAnswer, number, Record<string, unknown>, Record<string, string | undefined>, number]
  const noRetry = { 'x-should-retry': 'false' }
  const openai = (status: number, error: object, headers = {}) => ({ status, headers, body: { error } })
  const said = (code: string | null, message = 'words') => ({
    message,
    type: 'invalid_request_error',
    param: null,
    code,
  })
  const rows: Row[] = [
    [
      '401',
      errorResponse('openai', 401, 'Incorrect API key provided: sk-abcd****wxyz'),
      502,
      { code: 'provider_auth_error' },
      noRetry,
      1,
    ],
    ['403', errorResponse('openai', 403, 'no'), 502, { code: 'provider_auth_error' }, noRetry, 1],
    ['quota', openai(429, said('insufficient_quota')), 402, { code: 'quota_exceeded' }, noRetry, 1],
    [
      'quota that would be back in a second',
      { ...openai(429, said('insufficient_quota')), headers: { 'retry-after': '1' } },
      402,
      { code: 'quota_exceeded' },
      noRetry,
      1,
    ],
    ['402', errorResponse('openai', 402, 'pay'), 402, { code: 'quota_exceeded' }, noRetry, 1],
    [
      '429',
      errorResponse('openai', 429, 'slow'),
      429,
      { code: 'rate_limit_exceeded' },
      { 'retry-after': '1', 'x-should-retry': undefined },
      1,
    ],
    [
      '429 of two seconds',
      errorResponse('openai', 429, 'slow', { 'retry-after': '2' }),
      429,
      {},
      { 'retry-after': '2' },
      2,
    ],
    [
      '429 of three seconds',
      errorResponse('openai', 429, 'slow', { 'retry-after': '3' }),
      429,
      {},
      { 'retry-after': '3' },
      1,
    ],
    [
      '429 of two minutes',
      errorResponse('openai', 429, 'slow', { 'retry-after': '120' }),
      429,
      {},
      { 'retry-after': '120', ...noRetry },
      1,
    ],
    [
      'overflow',
      openai(400, said('context_length_exceeded')),
      400,
      { code: 'context_length_exceeded', message: expect.stringContaining('maximum context length') },
      noRetry,
      1,
    ],
    ['404', errorResponse('openai', 404, 'unknown'), 404, { code: 'model_not_found' }, noRetry, 1],
    [
      '400',
      openai(400, { ...said(null, 'Bad key sk-abcdefgh12345678'), param: 'top_p' }),
      400,
      { type: 'invalid_request_error', param: 'top_p', message: 'Bad key [key]' },
      noRetry,
      1,
    ],
    [
      '500',
      errorResponse('openai', 500, 'secret inside'),
      502,
      { code: 'provider_unavailable', message: 'The provider answered with an error' },
      { 'x-should-retry': undefined },
      1,
    ],
    ['502', errorResponse('openai', 502, 'x'), 502, { code: 'provider_unavailable' }, {}, 2],
    ['503', errorResponse('openai', 503, 'x'), 502, { code: 'provider_unavailable' }, {}, 2],
    ['504', errorResponse('openai', 504, 'x'), 502, { code: 'provider_unavailable' }, {}, 2],
    ['529', errorResponse('openai', 529, 'x'), 502, { code: 'provider_unavailable' }, {}, 2],
    ['204', { status: 204, headers: {}, body: { error: {} } }, 502, { code: 'provider_unavailable' }, {}, 1],
  ]
  test.each(rows)('%s', async (_name, answer, status, error, headers, tries) => {
    const fresh = await stage.makeProject()
    stage.upstream.requests.length = 0
    stage.script(answer)
    for (const stream of [false, true]) {
      stage.upstream.requests.length = 0
      const seen = await fresh.complete({ stream })
      expect(seen.status, seen.text).toBe(status)
      expect(seen.body).toMatchObject({ error: { message: expect.any(String), type: expect.any(String), ...error } })
      for (const [name, value] of Object.entries(headers)) expect(seen.headers[name], name).toBe(value)
      expect(stage.upstream.requests).toHaveLength(tries)
      expect(seen.text).not.toMatch(/sk-|secret inside/)
    }
    expect(await fresh.usage()).toMatchObject({ requests: 0, total_tokens: 0 })
  })

  test('that is over at the second try is none', async () => {
    const tries: number[] = []
    stage.script(({ body }) => {
      tries.push(performance.now())
      return tries.length === 1
        ? { status: 503, headers: { 'retry-after': '30' }, body: {} }
        : say('openai', greeting, JSON.parse(body).stream)
    })
    expect((await project.complete()).status).toBe(200)
    expect(tries).toHaveLength(2)
    // At least the provider's Retry-After, within bounds: a client waits.
    const [first = 0, second = 0] = tries
    expect(second - first).toBeGreaterThan(1_900)
    expect(second - first).toBeLessThan(roomFor(10_000))
  })

  test('in the middle of a stream is its last line, and no clean end', async () => {
    const events = [...openaiEvents(greeting).slice(0, 2), 'data: {"error":{"message":"inside","code":500}}\n\n']
    stage.script(eventStream(events))
    const answer = await project.open()
    expect(await answer.ended).toBe(true)
    const seen = eventsOf(answer.text())
    expect(seen.at(-1)).toEqual({
      error: {
        message: 'The provider answered with an error',
        type: 'server_error',
        param: null,
        code: 'provider_unavailable',
      },
    })
    expect(answer.text()).not.toContain('[DONE]')
    expect(answer.text()).not.toMatch(/"finish_reason":"/)
  })

  test('silence before and within an answer is told as such', async () => {
    stage.script({ write: () => undefined })
    expect(await project.complete()).toMatchObject({ status: 502, body: { error: { code: 'provider_timeout' } } })
    stage.script({
      write(response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(openaiEvents(greeting).slice(0, 2).join(''))
      },
    })
    const answer = await project.open()
    expect(await answer.ended).toBe(true)
    expect(eventsOf(answer.text()).at(-1)).toMatchObject({ error: { code: 'provider_timeout' } })
  })

  test('that a plain answer has is an error, never half an answer', async () => {
    const { body } = say('openai', greeting, false)
    const broken = JSON.parse(JSON.stringify(body).replace('"finish_reason":"stop"', '"finish_reason":null'))
    stage.script({ body: broken })
    expect(await project.complete()).toMatchObject({ status: 502, body: { error: { code: 'provider_unavailable' } } })
  })
})

describe('a connection that was kept and is cut', () => {
  test('before any byte of the answer counts as one that failed, a fresh one does not', async () => {
    const sockets = new Set<unknown>()
    let cuts = 0
    stage.script({
      write(response) {
        const { socket } = response.req
        if (sockets.has(socket)) {
          cuts++
          socket.destroy()
          return
        }
        sockets.add(socket)
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(say('openai', greeting, false).body))
      },
    })
    const own = await stage.makeProject()
    for (let round = 0; round < 4; round++) expect((await own.complete()).status).toBe(200)
    expect(cuts).toBeGreaterThan(0)
    let asked = 0
    stage.script(() => {
      asked++
      return { hangUp: true }
    })
    const other = await stage.makeProject()
    asked = 0
    expect(await other.complete()).toMatchObject({ status: 502, body: { error: { code: 'provider_unavailable' } } })
    expect(asked).toBe(1)
  })
})
