// Tests completions through the real product: plain, streamed, with tools and in unusual forms.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openaiEvents, say, wholeUsage } from '../../support/simulated/provider-answers.ts'
import { roomFor } from '../../support/slowness.ts'
import {
  eventsOf,
  hello,
  openStage,
  platformKey,
  type Stage,
  type TestProject,
  tenantKey,
  textOf,
} from '../inference-stage.ts'
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

const answerWell = () => stage.script(({ body }) => say('openai', greeting, JSON.parse(body).stream === true))

describe('a good answer', () => {
  test('plain', async () => {
    answerWell()
    const answer = await project.complete({ temperature: 0.5, user: 'me', made_up: 1 })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        object: 'chat.completion',
        choices: [{ message: { role: 'assistant', content: 'Hello there', refusal: null }, finish_reason: 'stop' }],
        usage: wholeUsage,
      },
    })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(stage.asked()).toMatchObject([
      { model: 'gpt-4o-mini', temperature: 0.5, made_up: 1, messages: hello.messages },
    ])
    expect(stage.upstream.requests[0]?.headers.authorization).toBe(`Bearer ${tenantKey}`)
  })

  test('streamed, with usage for those alone who ask for it', async () => {
    answerWell()
    const silent = await project.open()
    expect(await silent.ended).toBe(true)
    expect(silent.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    const events = eventsOf(silent.text())
    expect(textOf(events)).toBe('Hello there')
    expect(events.at(-1)).toBe('[DONE]')
    expect(silent.text()).not.toContain('total_tokens')
    expect(stage.asked()[0]).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    const told = await project.open({ stream_options: { include_usage: true } })
    await told.ended
    expect(eventsOf(told.text()).at(-2)).toMatchObject({ choices: [], usage: wholeUsage })
  })

  test.each([true, false])('with calls of tools, streamed: %s', async stream => {
    const calls = [
      { id: 'call_1', name: 'weather', pieces: ['{"city":', '"Bern"}'] },
      { id: 'call_2', name: 'time', pieces: ['{}'] },
    ]
    stage.script(({ body }) => say('openai', { calls }, JSON.parse(body).stream === true))
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
    const answer = await project.complete({ stream, tools })
    expect(answer.status).toBe(200)
    expect(stage.asked()[0]).toMatchObject({ tools })
    expect(answer.text).toContain('call_1')
    expect(answer.text).toContain('call_2')
    const written = stream ? eventsOf(answer.text) : []
    if (stream) expect(written.at(-2)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
    else expect(answer.body).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] })
  })

  test('of several choices, of nothing at all, and a refusal', async () => {
    const choice = (index: number, content: string | null, refusal: string | null = null) => ({
      index,
      message: { role: 'assistant', content, refusal },
      logprobs: null,
      finish_reason: 'stop',
    })
    const whole = (choices: object[]) => ({
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices,
      usage: wholeUsage,
    })
    stage.script({ body: whole([choice(0, 'a'), choice(1, 'b')]) })
    expect(await project.complete({ n: 2 })).toMatchObject({
      status: 200,
      body: { choices: [{ index: 0 }, { index: 1 }] },
    })
    stage.script({ body: whole([choice(0, '')]) })
    expect(await project.complete()).toMatchObject({ status: 200, body: { choices: [{ message: { content: '' } }] } })
    stage.script({ body: whole([choice(0, null, 'No.')]) })
    expect(await project.complete()).toMatchObject({
      status: 200,
      body: { choices: [{ message: { refusal: 'No.' } }] },
    })
  })

  test('that comes at once where a stream was asked for is a stream all the same', async () => {
    stage.script({ body: say('openai', greeting, false).body })
    const answer = await project.open()
    expect(await answer.ended).toBe(true)
    const events = eventsOf(answer.text())
    expect(textOf(events)).toBe('Hello there')
    expect(events.at(-1)).toBe('[DONE]')
  })

  test.each([{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/json' }])(
    'that comes as events is a stream, whatever its head says: %j',
    async headers => {
      const bytes = Buffer.from(`\n: hello\n\n${openaiEvents(greeting).join('')}`)
      stage.script({
        async write(response) {
          response.writeHead(200, headers)
          for (const byte of bytes.subarray(0, 12)) {
            response.write(Buffer.of(byte))
            await new Promise(resolve => setImmediate(resolve))
          }
          response.end(bytes.subarray(12))
        },
      })
      const answer = await project.open()
      expect(await answer.ended).toBe(true)
      const events = eventsOf(answer.text())
      expect(textOf(events)).toBe('Hello there')
      expect(events.at(-1)).toBe('[DONE]')
    },
  )

  test.each([
    ['its last event', openaiEvents(greeting).join(''), '[DONE]'],
    ['a failure', `${openaiEvents(greeting)[0]}data: {"error":{"message":"no","code":500}}\n\n`, { error: {} }],
  ])('ends with %s, and a connection that its provider keeps open is closed', async (_name, text, last) => {
    let isClosed = false
    stage.script({
      write(response) {
        response.once('close', () => {
          isClosed = true
        })
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(text)
      },
    })
    const begun = performance.now()
    const answer = await project.open()
    expect(await answer.ended).toBe(true)
    expect(performance.now() - begun).toBeLessThan(roomFor(1_500))
    const end = eventsOf(answer.text()).at(-1)
    if (typeof last === 'string') expect(end).toBe(last)
    else expect(end).toMatchObject(last)
    await expect.poll(() => isClosed).toBe(true)
  })
})

describe('a fault of what is asked', () => {
  const user = { role: 'user', content: 'x' }
  test.each<[param: string, body: Record<string, unknown>, headers?: Record<string, string>]>([
    ['temperature', { temperature: 9 }],
    ['tools[0].function', { tools: [{}] }],
    ['messages[0].content', { messages: [{ role: 'user' }] }],
    ['messages[1].tool_call_id', { messages: [user, { role: 'tool', content: 'x' }] }],
    ['functions', { functions: [] }],
    ['stop', { stop: 5 }],
    ['X-Session-Id', {}, { 'x-session-id': 'a b' }],
    ['X-Thread-Id', {}, { 'x-thread-id': 'x'.repeat(129) }],
  ])('is not charged: %s', async (param, body, headers = {}) => {
    const own = await stage.makeProject({ settings: { rpm_limit: 2 } })
    for (let round = 0; round < 3; round++) {
      const answer = await own.complete(body, { headers })
      expect(answer).toMatchObject({ status: 400, body: { error: { param, type: 'invalid_request_error' } } })
    }
    stage.script(say('openai', greeting, false))
    const { status, headers: limits } = await own.complete()
    expect(status).toBe(200)
    expect(limits).toMatchObject({ 'x-ratelimit-remaining-requests': '1' })
    expect(Number(limits['x-ratelimit-remaining-tokens'])).toBeGreaterThan(1_000_000 - 1_100)
  })

  test('is told after a kill switch', async () => {
    const own = await stage.makeProject()
    const { call, adminSecret } = stage.harness
    await call('POST', `/v1/admin/killswitch/project/${own.id}`, { adminSecret, body: { enabled: true } })
    const answer = await own.complete({ temperature: 9 })
    expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } })
  })
})

test('a count that no answer can have is cut to one that can be added up', async () => {
  const own = await stage.makeProject()
  const most = Number.MAX_SAFE_INTEGER
  const usage = { prompt_tokens: most, completion_tokens: most, total_tokens: most }
  stage.script({ body: { ...(say('openai', greeting, false).body as object), usage } })
  expect((await own.complete()).status).toBe(200)
  expect(await own.usage()).toMatchObject({ requests: 1, prompt_tokens: 1e9, total_tokens: 1e9 })
})

test.each([{}, { prompt_tokens: '9', completion_tokens: -5, total_tokens: null }])(
  'a usage that counts nothing (%j) is none, and the answer is counted here',
  async usage => {
    const own = await stage.makeProject()
    stage.script({ body: { ...(say('openai', greeting, false).body as object), usage } })
    expect((await own.complete()).status).toBe(200)
    const { prompt_tokens, total_tokens } = await own.usage()
    expect(prompt_tokens).toBeGreaterThan(0)
    expect(total_tokens).toBeGreaterThan(prompt_tokens)
  },
)
