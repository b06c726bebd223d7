// Who may read /metrics: this machine itself, or whoever brings the token. On a project's host there is no such route.

import { randomUUID } from 'node:crypto'
import { request as sendRequest } from 'node:http'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { createListener } from '../../src/http/front/listener.ts'
import { replyJson } from '../../src/http/reply.ts'
import { createMetricsPlane } from '../../src/telemetry/metrics-plane.ts'
import { createRegistry } from '../../src/telemetry/registry.ts'
import { createMemoryLog } from '../kv/stores.ts'
import { parseMetrics } from './parse-metrics.ts'

const token = 'a-token-for-scrapers'
const internalSecret = 'a-secret-between-services'

async function openListener(options: { token: string | null; trustedProxies?: string[]; host?: string }) {
  const registry = createRegistry()
  registry.counter({ name: 'things_total', help: 'Things.' }).add(3)
  const elsewhere = (status: number) => createPlane(status)
  const listener = createListener({
    hasFastLane: true,
    hosts: { baseUrl: 'https://api.example.com', publicDomain: 'example.com', internalDomain: 'dev.example.com' },
    trustedProxies: options.trustedProxies ?? [],
    handlers: {
      management: elsewhere(418),
      project: elsewhere(418),
      internal: elsewhere(418),
      metrics: createMetricsPlane({ families: async () => registry.families(), token: options.token }),
    },
    isInternalSecret: secret => secret === internalSecret,
    readiness: () => [],
    log: createMemoryLog().log,
    now: Date.now,
    randomId: randomUUID,
  })
  const { port } = await listener.listen(0, options.host ?? '127.0.0.1')
  onTestFinished(() => listener.close(0))
  return port
}

const createPlane = (status: number) => (_: unknown, response: Parameters<typeof replyJson>[0]) =>
  replyJson(response, status, {})

interface Asked {
  headers?: Record<string, string>
  method?: string
  path?: string
  address?: string
}

function ask(port: number, { headers = {}, method = 'GET', path = '/metrics', address = '127.0.0.1' }: Asked = {}) {
  return new Promise<{ status: number; type: string | undefined; text: string }>((resolve, reject) => {
    const request = sendRequest({
      host: address,
      port,
      method,
      path,
      agent: false,
      headers: { host: 'localhost', ...headers },
    })
    request.once('error', reject)
    request.once('response', response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.once('end', () => {
        const { statusCode: status = 0, headers } = response
        resolve({ status, type: headers['content-type'], text: Buffer.concat(chunks).toString() })
      })
    })
    request.end()
  })
}

const forwarded = { 'x-forwarded-for': '203.0.113.7' }
const bearer = (given: string) => ({ authorization: `Bearer ${given}` })

const askers: { who: string; headers: Record<string, string>; unset: number; set: number }[] = [
  { who: 'this machine', headers: {}, unset: 200, set: 200 },
  { who: 'this machine with another token', headers: bearer('another'), unset: 200, set: 200 },
  { who: 'a process by the internal secret', headers: { 'x-internal-secret': internalSecret }, unset: 200, set: 200 },
  { who: 'somebody behind a proxy', headers: forwarded, unset: 404, set: 401 },
  {
    who: 'somebody behind a proxy that says so otherwise',
    headers: { forwarded: 'for=203.0.113.7' },
    unset: 404,
    set: 401,
  },
  { who: 'somebody who claims to be this machine', headers: { 'x-forwarded-for': '127.0.0.1' }, unset: 404, set: 401 },
  { who: 'a wrong token', headers: { ...forwarded, ...bearer('another') }, unset: 404, set: 401 },
  { who: 'half the token', headers: { ...forwarded, ...bearer(token.slice(1)) }, unset: 404, set: 401 },
  { who: 'the token as a password', headers: { ...forwarded, authorization: `Basic ${token}` }, unset: 404, set: 401 },
  { who: 'the token', headers: { ...forwarded, ...bearer(token) }, unset: 404, set: 200 },
]

test.each(askers)('$who: $unset where no token is set, $set where one is', async ({ headers, unset, set }) => {
  const [without, having] = [await openListener({ token: null }), await openListener({ token })]
  expect((await ask(without, { headers })).status).toBe(unset)
  expect((await ask(having, { headers })).status).toBe(set)
  // A trusted proxy is no neighbour who may read.
  const trusting = await openListener({ token, trustedProxies: ['127.0.0.0/8'] })
  expect((await ask(trusting, { headers })).status).toBe(set)
})

test.each(['api.example.com', 'localhost', '10.0.0.1', 'pod-7.cluster.local'])(
  'answers under the name %s',
  async host => {
    const answer = await ask(await openListener({ token: null }), { headers: { host } })
    expect(answer).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' })
    expect(parseMetrics(answer.text).value('things_total')).toBe(3)
  },
)

test.each([
  ['by its host', '/metrics', 'amber-falcon-4821.example.com'],
  ['by its path', '/p/amber-falcon-4821/v1/metrics', 'api.example.com'],
])('a project, %s, has no such route, token or not', async (_, path, host) => {
  const port = await openListener({ token })
  expect((await ask(port, { path, headers: { host, ...bearer(token) } })).status).toBe(418)
})

test('where there is no such route, it is refused as its host refuses everything', async () => {
  const port = await openListener({ token: null })
  const refusal = async (host: string) => JSON.parse((await ask(port, { headers: { ...forwarded, host } })).text)
  expect(await refusal('api.example.com')).toEqual({ error: 'Not found' })
  expect(await refusal('10.0.0.1')).toEqual({ error: 'not found', message: 'Unknown project host' })
})

test('HEAD says what GET would, and nothing else is allowed', async () => {
  const port = await openListener({ token })
  expect(await ask(port, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  expect((await ask(port, { method: 'POST' })).status).toBe(405)
  // Who may not read learns nothing of what may be asked.
  expect((await ask(port, { method: 'POST', headers: forwarded })).status).toBe(401)
})

const outside = Object.values(networkInterfaces())
  .flatMap(addresses => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)

// On a machine with loopback alone there is no elsewhere to come from.
if (outside !== undefined) {
  test('another address of this machine is not loopback', async () => {
    const [without, having] = [
      await openListener({ token: null, host: '0.0.0.0' }),
      await openListener({ token, host: '0.0.0.0' }),
    ]
    const { address } = outside
    expect((await ask(without, { address })).status).toBe(404)
    expect((await ask(having, { address })).status).toBe(401)
    expect((await ask(having, { address, headers: bearer(token) })).status).toBe(200)
  })
}
