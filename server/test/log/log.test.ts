// Nothing secret gets into a log line, from wherever it may come: planted everywhere, searched for in all output.
import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../../src/domain/errors.ts'
import type { LogFields } from '../../src/domain/log.ts'
import type { RequestHandler } from '../../src/http/front/accept-request.ts'
import { readBody } from '../../src/http/read-body.ts'
import { createLog } from '../../src/log/log.ts'
import { sendRaw } from '../http/raw-request.ts'
import { runListener } from '../http/running-listener.ts'

const secrets = [
  'service_sk_live_0123456789abcdef0123456789abcdef',
  'sk-proj-Abc123Def456Ghi789Jkl012',
  'sess_Zm9vYmFyYmF6cXV4MDEyMzQ1Njc4OQ',
  'eyJhbGciOiJSUzI1NiJ9.eyJ0aWQiOiIxMjMifQ.c2lnbmF0dXJl',
  'AKIAIOSFODNN7EXAMPLE',
  'hunter2-correct-horse-99',
  '4111111111111111',
  'jane.doe@example.com',
  'The prompt: tell me about 42 secrets',
]

const sources = join(import.meta.dirname, '../../src')

function capture() {
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: line => void lines.push(line) } })
  return { log, lines, parsed: () => lines.map(line => JSON.parse(line)) }
}

function expectNoSecret(output: string) {
  for (const secret of secrets) {
    expect(output).not.toContain(secret)
    expect(output).not.toContain(JSON.stringify(secret).slice(1, -1))
    expect(output.toLowerCase()).not.toContain(encodeURIComponent(secret).toLowerCase())
  }
}

/** One error with a secret in every place where an error can carry one. */
function plantedError(secret: string): Error {
  const cause = new AggregateError([new Error(secret), new Refusal('internal', { message: secret })], secret)
  const error = new Error(`password=${secret}`, { cause })
  error.name = secret
  const file = join(sources, `${secret}.ts`)
  error.stack = `${secret}: ${secret}\n    at ${secret} (${file}:1:1)\n    at ${file}:1:1\n    at node:${secret}:1:1`
  return Object.assign(error, {
    code: secret,
    url: `https://x?key=${secret}`,
    parameters: [secret],
    request: { headers: { authorization: `Bearer ${secret}` } },
    toJSON: () => ({ secret }),
  })
}

describe('log', () => {
  it('writes the named fields', () => {
    const { log, parsed } = capture()
    const id = randomUUID()
    log.info('request', {
      request_id: id,
      plane: 'management',
      route: '/auth/v1/projects/:projectId/tiers/*',
      status: 200,
      duration_ms: 1.5,
      roles: ['api', 'worker'],
      code: 'ECONNREFUSED',
      bind: '127.0.0.1',
      version: '0.1.0',
      provider: 'rfc2136',
    })
    expect(parsed()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        event: 'request',
        request_id: id,
        plane: 'management',
        route: '/auth/v1/projects/:projectId/tiers/*',
        status: 200,
        duration_ms: 1.5,
        roles: ['api', 'worker'],
        code: 'ECONNREFUSED',
        bind: '127.0.0.1',
        version: '0.1.0',
        provider: 'rfc2136',
      },
    ])
  })

  it('keeps an error’s class, code, places and causes', () => {
    const { log, parsed } = capture()
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    log.error('fetch failed', { error: new TypeError('no', { cause: new AggregateError([refused]) }) })
    const [{ error }] = parsed()
    expect(error).toMatchObject({
      name: 'TypeError',
      cause: { name: 'AggregateError', errors: [{ name: 'Error', code: 'ECONNREFUSED' }] },
    })
    expect(error.at[0]).toContain('server/test/log/log.test.ts:')
    expect(error.at.join()).toMatch(/node_modules\/.+:\d+:\d+/)
  })

  it('shows where in our own sources an error arose', () => {
    const { log, parsed } = capture()
    try {
      createLog({ level: 'no such level' })
    } catch (error) {
      log.error('start failed', { error })
    }
    expect(parsed()[0].error.at.join()).toContain('createLog server/src/log/log.ts:')
  })

  it('takes no line of a message for a place', () => {
    const { log, parsed } = capture()
    const error = new Error('x')
    const place = join(sources, 'log/log.ts')
    error.stack = `Error: one\n    at made up (${place}:9:9)\nstill the message\n    at new Real (file://${place}:1:2)`
    log.error('fault', { error })
    expect(parsed()[0].error.at).toEqual(['new Real server/src/log/log.ts:1:2'])
  })

  it('judges a value by its field, whatever field it has passed in before', () => {
    const { log, parsed } = capture()
    const id = randomUUID()
    const route = '/v1/chat/completions'
    for (let round = 0; round < 2; round++) {
      log.info('request', { tenant_id: id, route, method: 'POST' })
      log.info('request', { tenant_id: route, project_id: 'POST', route: id, method: id })
    }
    const passed = expect.objectContaining({ tenant_id: id, route, method: 'POST' })
    const dropped = { level: 'info', time: expect.any(String), event: 'request' }
    expect(parsed()).toEqual([passed, dropped, passed, dropped])
  })

  it('writes an origin only if it can be one, and variables only if they can be names of such', () => {
    const { log, parsed } = capture()
    log.warn('origin', { origin: 'https://App.example.com:443' })
    const others = [
      'https://a.example/path',
      'null',
      'javascript:x',
      'https://a.example?x',
      `https://${'a.'.repeat(200)}b`,
    ]
    for (const origin of others) log.warn('origin', { origin })
    expect(parsed().map(({ origin }) => origin)).toEqual(['https://app.example.com', ...others.map(() => undefined)])
    log.warn('variables', { variables: ['PUBLIC_DOMIAN', 'ROUTE53_ZONE', `service_sk_live_${'a1'.repeat(16)}`, 'A=b'] })
    expect(parsed().at(-1).variables).toEqual(['PUBLIC_DOMIAN', 'ROUTE53_ZONE'])
  })

  it('obeys its level', () => {
    const lines: string[] = []
    const log = createLog({ level: 'warn', destination: { write: line => void lines.push(line) } })
    log.info('unseen')
    log.warn('seen')
    expect(lines).toHaveLength(1)
  })

  it.each(secrets)('drops %s from every field, event and error', secret => {
    const { log, lines } = capture()
    const names = ['request_id', 'tenant_id', 'plane', 'method', 'route', 'reason', 'code', 'bind', 'version', 'status']
    for (const name of [
      ...names,
      'job',
      'provider',
      'mode',
      'aborted',
      'authorization',
      'body',
      'msg',
      'event',
      'level',
    ]) {
      log.info('fields', { [name]: secret } as LogFields)
      log.info('fields', { [name]: { nested: { secret } } } as LogFields)
      log.info('fields', { [name]: [secret] } as LogFields)
    }
    log.info('words', { roles: [secret], reasons: ['fine', secret] })
    log.info(`failed for ${secret}`)
    log.info('route', { route: `/v1/threads/${secret}` })
    log.error('fault', { error: plantedError(secret) })
    log.error('fault', { error: new Error('outer', { cause: plantedError(secret) }) })
    log.error('fault', { error: secret })
    log.error('fault', { error: { message: secret } })
    log.error('fault', { error: new Error(`${secret}\n    at ${secret} (/app/server/src/${secret}.ts:1:1)`) })
    log.error('fault', {
      error: new Proxy(new Error(secret), {
        get: () => {
          throw new Error(secret)
        },
      }),
    })
    expect(lines.length).toBeGreaterThan(60)
    expectNoSecret(lines.join('\n'))
  })
})

it('lets no secret of a request out, whatever happens to it', async () => {
  const output: string[] = []
  const planes: RequestHandler[] = [
    () => Promise.reject(plantedError(secrets[0]!)),
    request => Promise.reject(new Error(JSON.stringify(request.headers) + request.url)),
    async request => {
      const { value } = await readBody(request, { maxBytes: 100_000, timeoutMs: 5_000 })
      throw Object.assign(new Error(JSON.stringify(value)), { body: value })
    },
    async request => {
      const { bytes } = await readBody(request, { maxBytes: 100_000, timeoutMs: 5_000 })
      JSON.parse(`${bytes}broken`)
    },
    (request, _response, incoming) => {
      incoming.logContext.route = request.url ?? ''
      incoming.logContext.tenantId = String(request.headers.authorization)
      throw new Refusal('store_unavailable', { cause: plantedError(request.url ?? '') })
    },
  ]
  for (const plane of planes) {
    const { port, lines } = await runListener({ plane })
    for (const secret of secrets) {
      const text = encodeURIComponent(secret)
      const body = JSON.stringify({ api_key: secret, nested: [{ secret }] })
      const request = (path: string, broken = '') =>
        `POST ${path} HTTP/1.1\r\nHost: a-b-1.localhost\r\nAuthorization: Bearer ${secret}\r\nX-Admin-Secret: ${secret}\r\n` +
        `Content-Type: application/json\r\n${broken}Content-Length: ${body.length}\r\n\r\n${body}`
      const sent = [request(`/v1/${text}?key=${text}`), request('/v1/x', `Authorization: ${secret}\r\n`)]
      const answers = await Promise.all([
        ...sent.map(raw => sendRaw(port, raw)),
        sendRaw(port, request(`/v1/../${text}`)),
        sendRaw(port, request('/v1/x', `${secret}\r\n`)),
        sendRaw(port, `GET / HTTP/1.1\r\nHost: ${secret}\r\n\r\n`),
      ])
      output.push(...answers.map(answer => answer.text))
    }
    await sleep(50)
    output.push(...lines)
    expect(lines.length).toBeGreaterThanOrEqual(secrets.length * 4)
  }
  expectNoSecret(output.join('\n'))
})

it('writes every message in the sources under its own name', () => {
  const calls = globSync(join(sources, '**/*.ts')).flatMap(path =>
    [...readFileSync(path, 'utf8').matchAll(/\.(?:debug|info|warn|error)\(\s*'((?:[^'\\]|\\.)+)'/g)].map(
      ([, text]) => text,
    ),
  )
  const messages = calls.filter(text => text !== undefined)
  expect(messages.length).toBeGreaterThan(80)
  const { log, parsed } = capture()
  for (const message of messages) log.error(message)
  expect(parsed().map(({ event }) => event)).toEqual(messages)
})
