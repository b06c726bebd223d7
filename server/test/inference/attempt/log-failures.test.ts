// Tests the log lines of failed provider calls: each kind at most once a minute, with its count, and without any text
// of the provider, the client or the project.
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { providerError } from '../../../src/domain/conversation/provider-error.ts'
import { createFailureLog } from '../../../src/inference/attempt/log-failures.ts'
import { createBreakers } from '../../../src/inference/target/breakers.ts'
import { createSparseLog } from '../../../src/log/sparse-log.ts'
import { createHandClock, createMemoryLog } from '../../kv/stores.ts'
import { breakOff, errorResponse, openaiEvents, say } from '../../support/simulated/provider-answers.ts'
import { openChat } from '../chat-stage.ts'

const words = 'Incorrect key sk-0123456789abcdef for the quiet harbour'
const asked = { messages: [{ role: 'user', content: 'the quiet harbour' }] }
const uuid = /^[0-9a-f-]{36}$/
const described = { event: 'provider call failed', level: 'warn', provider: 'openai', endpoint: 'operator', count: 1 }

/** Depends on whether the upstream closed its connection in order. */
const broken = expect.stringMatching(/^(closed|ECONNRESET)$/)

const failures = (lines: readonly string[]) =>
  lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'provider call failed')

/** Begins a stream and then destroys the connection. */
const breakUnder = {
  write(response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(
      openaiEvents({ text: ['one '] })
        .slice(0, 2)
        .join(''),
      () => response.destroy(),
    )
  },
}

describe('a failed call has its line', () => {
  test.each([
    ['refused', { stream: true }, errorResponse('openai', 401, words), { reason: 'auth', status: 401 }],
    ['out of order', {}, errorResponse('openai', 500, words), { reason: 'server_error', status: 500 }],
    ['in no format', {}, { body: words }, { reason: 'malformed' }],
    ['that ended too soon', { stream: true }, breakOff('openai', { text: [words] }, 2), { reason: 'truncated' }],
    ['broken in the middle', { stream: true }, breakUnder, { reason: 'truncated', code: broken }],
    ['broken at once', {}, { hangUp: true as const }, { reason: 'network', code: broken }],
  ])('%s', async (_name, fields, answer, expected) => {
    const chat = await openChat(answer)
    await chat.ask({ ...asked, ...fields })
    await chat.ask({ ...asked, ...fields })
    expect(failures(chat.lines)).toEqual([
      {
        ...described,
        ...expected,
        time: expect.any(String),
        request_id: expect.stringMatching(uuid),
        tenant_id: expect.stringMatching(uuid),
      },
    ])
    for (const secret of ['harbour', 'sk-0', chat.upstream.host]) expect(chat.lines.join('')).not.toContain(secret)
  })

  test('where nobody listens', async () => {
    const chat = await openChat(say('openai', { text: ['ok'] }, false))
    const { baseUrl } = chat.target
    const nowhere = await openChat(say('openai', { text: ['ok'] }, false), {
      parts: {
        targets: {
          chooseKnown: () => null,
          choose: async () => [{ ...chat.target, baseUrl: baseUrl.replace(/:\d+/, ':1') }],
        },
      },
    })
    expect((await nowhere.ask(asked)).status).toBe(502)
    expect(failures(nowhere.lines)).toMatchObject([{ ...described, reason: 'network', code: 'ECONNREFUSED' }])
  })

  test('and one that is tried again with success has none', async () => {
    let tries = 0
    const chat = await openChat(() =>
      tries++ === 0 ? errorResponse('openai', 503, words) : say('openai', { text: ['ok'] }, false),
    )
    expect((await chat.ask(asked)).status).toBe(200)
    expect(tries).toBe(2)
    expect(failures(chat.lines)).toEqual([])
  })
})

test('what is refused while nobody asks a provider that is down is told once, not for each request', async () => {
  const clock = createHandClock(0)
  const chat = await openChat(errorResponse('openai', 500, words), { parts: { breakers: createBreakers(clock.now) } })
  for (let call = 0; call < 19; call++) await chat.ask(asked)
  clock.advance(5_000)
  for (let call = 0; call < 20; call++) expect((await chat.ask(asked)).status).toBe(502)
  expect(chat.upstream.requests).toHaveLength(20)
  const said = chat.lines.map(line => JSON.parse(line)).filter(({ level }) => level === 'warn' || level === 'error')
  expect(said.map(({ event, count }) => [event, count])).toEqual([
    ['provider call failed', 1],
    ['request failed', 1],
  ])
})

test('each kind is told once a minute for each provider and kind of address, with how many it stands for', () => {
  const { log, lines } = createMemoryLog()
  const clock = createHandClock(0)
  const tell = createFailureLog(createSparseLog(log, clock.now))
  const caller = { requestId: 'r', tenantId: 't' }
  const own = { provider: 'openai', guard: 'operator' } as const
  const told = () =>
    lines.splice(0).map(({ fields }) => [fields?.provider, fields?.endpoint, fields?.reason, fields?.count])
  for (let call = 0; call < 3; call++) tell(caller, own, providerError('timeout'))
  tell(caller, own, providerError('overloaded'))
  tell(caller, { ...own, guard: 'tenant' }, providerError('timeout'))
  tell(caller, { ...own, provider: 'cohere' }, providerError('timeout'))
  expect(told()).toEqual([
    ['openai', 'operator', 'timeout', 1],
    ['openai', 'operator', 'overloaded', 1],
    ['openai', 'tenant', 'timeout', 1],
    ['cohere', 'operator', 'timeout', 1],
  ])
  clock.advance(59_999)
  tell(caller, own, providerError('timeout'))
  expect(told()).toEqual([])
  clock.advance(1)
  for (let call = 0; call < 2; call++) tell(caller, own, providerError('timeout'))
  expect(told()).toEqual([['openai', 'operator', 'timeout', 4]])
})
