// The three body shapes, faults that tell nothing, and answers on connections in every state.
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { Refusal } from '../../src/domain/errors.ts'
import { gatewayErrors, managementErrors } from '../../src/http/error-formats.ts'
import { replyError, replyJson } from '../../src/http/reply.ts'
import { createLog } from '../../src/log/log.ts'
import { chatCompletions } from '../../src/surfaces/chat-completions/chat-completions.ts'
import { sendRaw } from './raw-request.ts'
import { runListener } from './running-listener.ts'

const formats = { management: managementErrors, gateway: gatewayErrors, 'chat completions': chatCompletions }
type Format = keyof typeof formats

const get = (host: string) => `GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n`

it.each<[Format, Refusal, unknown]>([
  ['management', new Refusal('not_found'), { error: 'Not found' }],
  ['management', new Refusal('store_unavailable'), { error: 'Key-value store unavailable', retryable: true }],
  ['management', new Refusal('forbidden', { upgradeUrl: 'http://u' }), { error: 'Forbidden', upgrade_url: 'http://u' }],
  ['gateway', new Refusal('unknown_host'), { error: 'not found', message: 'Unknown project host' }],
  ['gateway', new Refusal('bearer_required'), { error: 'unauthorized', message: 'Bearer token required' }],
  ['gateway', new Refusal('payload_too_large'), { error: 'payload too large', message: 'Payload too large' }],
  ['gateway', new Refusal('method_not_allowed'), { error: 'method not allowed', message: 'Method not allowed' }],
  ['gateway', new Refusal('internal'), { error: 'internal error', message: 'Internal server error' }],
  ['gateway', new Refusal('draining'), { error: 'service unavailable', message: 'Server is shutting down' }],
  [
    'chat completions',
    new Refusal('invalid_json', { param: 'messages', message: 'messages is required' }),
    { error: { message: 'messages is required', type: 'invalid_request_error', param: 'messages', code: null } },
  ],
  [
    'chat completions',
    new Refusal('bearer_required'),
    { error: { message: 'Bearer token required', type: 'authentication_error', param: null, code: null } },
  ],
  ['chat completions', new Refusal('forbidden'), { error: expect.objectContaining({ type: 'permission_error' }) }],
  ['chat completions', new Refusal('not_found'), { error: expect.objectContaining({ type: 'not_found_error' }) }],
  ['chat completions', new Refusal('internal'), { error: expect.objectContaining({ type: 'server_error' }) }],
])('%s shows %o as its own shape', (format, refusal, expected) => {
  expect(JSON.parse(JSON.stringify(formats[format].errorBody(refusal, '')))).toEqual(expected)
})

it.each<[Format, Refusal, string | undefined]>([
  ['gateway', new Refusal('unknown_host'), 'false'],
  ['chat completions', new Refusal('invalid_json'), 'false'],
  ['gateway', new Refusal('rate_limited', { retryAfterSeconds: 61 }), 'false'],
  ['gateway', new Refusal('rate_limited', { retryAfterSeconds: 60 }), undefined],
  ['gateway', new Refusal('request_timeout'), undefined],
  ['gateway', new Refusal('config_unavailable'), undefined],
  ['management', new Refusal('not_found'), undefined],
])('tells a client of %s about %o whether to ask again: %s', async (format, refusal, expected) => {
  const { port } = await runListener({
    plane: (_request, response, { id }) =>
      replyError(response, refusal, { format: formats[format], log: createLog({ level: 'silent' }), requestId: id }),
  })
  const { answers } = await sendRaw(port, get('localhost'))
  expect(answers[0]?.headers['x-should-retry']).toBe(expected)
})

it.each<[Format, Refusal, string | undefined]>([
  ['management', new Refusal('bearer_required'), 'Bearer'],
  ['management', new Refusal('invalid_admin_secret'), 'Bearer'],
  ['management', new Refusal('forbidden'), undefined],
  ['gateway', new Refusal('bearer_required'), undefined],
  ['chat completions', new Refusal('bearer_required'), undefined],
])('names a client of %s about %o the scheme of its credential: %s', async (format, refusal, expected) => {
  const { port } = await runListener({
    plane: (_request, response, { id }) =>
      replyError(response, refusal, { format: formats[format], log: createLog({ level: 'silent' }), requestId: id }),
  })
  const { answers } = await sendRaw(port, get('localhost'))
  expect(answers[0]?.headers['www-authenticate']).toBe(expected)
})

it('answers a refusal of a plane with its status, headers and the request id', async () => {
  const refusal = new Refusal('busy', { retryAfterSeconds: 7, headers: { 'x-extra': 'yes' } })
  const { port, arrivals, lines } = await runListener({ plane: () => Promise.reject(refusal) })
  const { answers, closed } = await sendRaw(port, get('localhost'))
  const { id } = arrivals[0]!.incoming
  expect(answers[0]).toMatchObject({
    status: 503,
    headers: { 'retry-after': '7', 'x-extra': 'yes', 'x-request-id': id, 'cache-control': 'no-store' },
    body: '{"error":"Too many requests in progress","retryable":true}',
  })
  expect(closed).toBe(false)
  expect(lines.join('')).toContain(id)
})

it.each([
  ['rejected', () => Promise.reject(new TypeError('the cause is secret'))],
  [
    'thrown',
    () => {
      throw new TypeError('the cause is secret')
    },
  ],
  [
    'thrown that is no error',
    () => {
      throw 'the cause is secret'
    },
  ],
])('tells nothing about a fault that was %s, except to the log', async (_name, plane) => {
  const { port, lines, arrivals } = await runListener({ plane })
  const managed = await sendRaw(port, get('localhost'))
  expect(managed.answers[0]).toMatchObject({ status: 500, body: '{"error":"Internal server error"}' })
  const projects = await sendRaw(port, get('a-b-1.localhost'))
  expect(projects.answers[0]).toMatchObject({
    status: 500,
    body: '{"error":"internal error","message":"Internal server error"}',
  })
  expect(managed.text + projects.text + lines.join('')).not.toContain('the cause is secret')
  const logged = lines.map(line => JSON.parse(line)).filter(({ level }) => level === 'error')
  expect(logged.map(({ request_id }) => request_id)).toEqual(arrivals.map(({ incoming }) => incoming.id))
})

it('tells the log once of what fails many requests in the same way, and of each fault of our own', async () => {
  const failures = [
    ...Array.from({ length: 5 }, () => new Refusal('database_unavailable', { cause: new Error('away') })),
    ...['one', 'other', 'one'].map(fault => new Refusal('guardrail_unavailable', { cause: new TypeError(fault) })),
    new Refusal('provider_unavailable'),
    new Refusal('not_found'),
    ...Array.from({ length: 3 }, () => new Error('broken')),
  ]
  const { port, lines } = await runListener({ plane: () => Promise.reject(failures.pop()) })
  for (let left = failures.length; left > 0; left--) await sendRaw(port, get('a-b-1.localhost'))
  const told = lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'request failed')
  expect(told.map(({ status, error, count }) => [status, error.code, count])).toEqual([
    [500, undefined, undefined],
    [500, undefined, undefined],
    [500, undefined, undefined],
    [502, 'provider_unavailable', 1],
    // Of two faults neither hides the other.
    [503, 'guardrail_unavailable', 1],
    [503, 'guardrail_unavailable', 1],
    [503, 'database_unavailable', 1],
  ])
})

it('cuts an answer that had begun instead of ending it as if it were whole', async () => {
  const { port } = await runListener({
    plane: async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {}\n\n')
      throw new Error('broken')
    },
  })
  const { text, closed } = await sendRaw(port, get('a-b-1.localhost'), { quietMs: 2_000 })
  expect(text).not.toContain('0\r\n\r\n')
  expect(closed).toBe(true)
})

it('never throws, whatever state the answer is in', async () => {
  const outcomes: string[] = []
  const log = createLog({ level: 'silent' })
  const { port } = await runListener({
    plane: (_request, response) => {
      const reply = { format: gatewayErrors, log, requestId: 'x' }
      replyError(response, new Refusal('not_found', { headers: { bad: 'line\r\nbreak' } }), reply)
      outcomes.push('bad header')
      replyError(response, new Refusal('not_found'), reply)
      replyJson(response, 200, {})
      outcomes.push('destroyed')
    },
  })
  await sendRaw(port, get('localhost'))
  expect(outcomes).toEqual(['bad header', 'destroyed'])
})

it('sends HEAD no body but its length', async () => {
  const { port } = await runListener()
  const { text } = await sendRaw(port, 'HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(text).toMatch(/content-length: 22\r\n/)
  expect(text.endsWith('\r\n\r\n')).toBe(true)
})

it('survives planes that write where nobody reads any more', async () => {
  const { port, arrivals, lines } = await runListener({
    plane: async (_request, response, { path }) => {
      response.write('begun')
      if (path === '/ended') response.end()
      else await new Promise<void>(resolve => response.once('close', () => resolve()))
      response.write('too late')
      response.end('too late')
    },
  })
  const gone = connect(port, '127.0.0.1', () => gone.write('GET /gone HTTP/1.1\r\nHost: localhost\r\n\r\n'))
  gone.once('data', () => gone.resetAndDestroy()).on('error', () => gone.destroy())
  await sendRaw(port, 'GET /ended HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await expect.poll(() => lines.filter(line => line.includes('"event":"request"')).length).toBe(2)
  expect(arrivals).toHaveLength(2)
  expect((await sendRaw(port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')).answers[0]?.status).toBe(200)
})

it('survives clients that reset the connection under an answer', async () => {
  const { port } = await runListener()
  for (const raw of ['CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 'nonsense\r\n\r\n', get('localhost')]) {
    for (let round = 0; round < 20; round++) {
      await new Promise(resolve => {
        const socket = connect(port, '127.0.0.1', () => socket.write(raw, () => socket.resetAndDestroy()))
        socket.once('close', resolve).on('error', () => socket.destroy())
      })
    }
    const socket = connect(port, '127.0.0.1', () => socket.write(raw)).on('error', () => socket.destroy())
    await new Promise(resolve => socket.once('data', resolve))
    socket.write('x'.repeat(100_000))
    socket.resetAndDestroy()
  }
  expect((await sendRaw(port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')).answers[0]?.status).toBe(200)
})
