// The Cloudflare driver against an API on loopback that checks every request: the contract of all drivers, then what is
// sent, and what the API may answer instead.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { createCloudflareDriver } from '../../src/dns/cloudflare.ts'
import { createDnsDriver } from '../../src/dns/create-driver.ts'
import type { DnsTarget } from '../../src/dns/driver.ts'
import type { Outbound } from '../../src/outbound/outbound.ts'
import { commonFaults, openOutbound } from './api-faults.ts'
import { bad, type CloudflareApi, startCloudflareApi } from './cloudflare-api.ts'
import { address, describeDriver, failureOf, inTime, newHosts } from './driver-contract.ts'

let api: CloudflareApi
let outbound: Outbound

beforeAll(async () => {
  api = await startCloudflareApi()
  outbound = openOutbound()
})
afterEach(() => {
  expect(api.faults).toEqual([])
  api.upstream.reset()
  api.serve()
})
afterAll(async () => {
  await outbound.close()
  await api.upstream.close()
})

/** From the environment on, as an operator sets it. */
const driver = (target: DnsTarget = address, apiToken = api.token) => {
  const { dns } = loadConfig({
    DNS_PROVIDER: 'cloudflare',
    DNS_TARGET: target.target,
    CLOUDFLARE_API_TOKEN: apiToken,
    CLOUDFLARE_ZONE_ID: api.zoneId,
    CLOUDFLARE_API_BASE: `${api.upstream.url}/client/v4`,
  })
  return createDnsDriver(dns, { outbound, now: Date.now })
}
const calls = () => api.upstream.requests.map(({ method, path }) => `${method} ${path.split('/').slice(4).join('/')}`)

describe('contract', () => {
  describeDriver(() => ({
    driver,
    stranger: () => driver(address, 'cf-token-of-another'),
    recordsOf: async name =>
      api.records
        .filter(record => record.name === name)
        .map(({ type, content }) => `${type} ${content}`)
        .sort(),
    async putText(name, content) {
      api.records.push({ id: `text-${name}`, type: 'TXT', name, content, ttl: 60, proxied: false })
    },
    goAway: async () => api.upstream.on('*', { hangUp: true }),
    comeBack: async () => api.serve(),
    freeze: () => api.upstream.on('*', { write: () => undefined }),
    thaw: () => undefined,
    secrets: [api.token, 'cf-token-of-another', api.zoneId, api.upstream.host],
  }))
})

test('asks for the zone once, and writes nothing where nothing is to be changed', async () => {
  const hosts = newHosts()
  const one = driver()
  await one.register(hosts, inTime())
  expect(calls()).toEqual([
    `GET ${api.zoneId}`,
    ...['GET', 'POST', 'GET', 'POST'].map(method => `${method} ${api.zoneId}/dns_records`),
  ])
  api.upstream.requests.length = 0
  await one.register(hosts, inTime())
  expect(calls()).toEqual([`GET ${api.zoneId}/dns_records`, `GET ${api.zoneId}/dns_records`])
})

test('takes a record out of the proxy, and one of several', async () => {
  const hosts = newHosts()
  for (const [id, proxied] of [
    ['first', true],
    ['second', false],
  ] as const) {
    api.records.push({ id, type: 'A', name: hosts.public, content: `192.0.2.${id.length}`, ttl: 1, proxied })
  }
  await driver().register(hosts, inTime())
  expect(api.records.filter(({ name }) => name === hosts.public)).toEqual([
    { id: 'first', type: 'A', name: hosts.public, content: '192.0.2.1', ttl: 300, proxied: false },
  ])
})

test('a record that somebody else deletes meanwhile is deleted', async () => {
  const hosts = newHosts()
  await driver().register(hosts, inTime())
  const [first] = api.records.filter(({ name }) => name === hosts.public)
  api.upstream.on(`DELETE /client/v4/zones/${api.zoneId}/dns_records/${first?.id}`, bad(404, 81044, 'Record not found'))
  await driver().remove(hosts, inTime())
  expect(api.records.filter(({ name }) => name === hosts.internal)).toEqual([])
})

test('an API that ignores the filter changes nobody else’s record', async () => {
  const [mine, others] = [newHosts(), newHosts()]
  await driver().register(others, inTime())
  api.upstream.on(`GET /client/v4/zones/${api.zoneId}/dns_records`, () => ({
    body: { success: true, result: api.records },
  }))
  await driver().register(mine, inTime())
  await driver().remove(mine, inTime())
  expect(api.records.map(({ name }) => name)).toEqual(expect.arrayContaining([others.public, others.internal]))
})

const credentials = 'CLOUDFLARE_API_TOKEN needs the permissions Zone Read and DNS Edit for the zone.'

describe.each(['zone', 'list', 'change'] as const)('the API refuses the %s', step => {
  const path = () => `/client/v4/zones/${api.zoneId}${step === 'zone' ? '' : '/dns_records'}`
  const refuseWith = (answer: Parameters<typeof api.upstream.on>[1]) =>
    api.upstream.on(`${step === 'change' ? 'POST' : 'GET'} ${path()}`, answer)

  test.each([
    ...commonFaults,
    ['401', bad(401, 1000, 'Invalid API Token'), 'credentials', new RegExp(`\\(401\\): ${credentials}`)],
    ['403', bad(403, 10000, 'Authentication error'), 'credentials', new RegExp(`\\(403\\): ${credentials}`)],
    [
      '404',
      bad(404, 7003, 'Could not route'),
      'unknown_zone',
      /\(404, code 7003: Could not route\): check CLOUDFLARE_ZONE_ID/,
    ],
    [
      '400',
      bad(400, 9005, 'Content\n for A record\u0007 is invalid.'),
      'refused',
      /\(400, code 9005: Content for A record is invalid\.\)/,
    ],
    [
      'success that is none',
      { body: { success: false, errors: [], result: null } },
      'bad_answer',
      /sent an invalid response/,
    ],
  ] as typeof commonFaults)('%s', async (_what, answer, kind, words) => {
    refuseWith(answer)
    const failure = await failureOf(driver().register(newHosts(), inTime()), [api.token])
    expect(failure.kind).toBe(kind)
    expect(failure.message).toMatch(words)
  })

  test('and repeats the token', async () => {
    refuseWith(bad(400, 1, `the token ${api.token} ${'is bad '.repeat(100)}`))
    const failure = await failureOf(driver().register(newHosts(), inTime()), [api.token])
    expect(failure.message).toContain('the token [secret] is bad')
    expect(failure.message.length).toBeLessThan(300)
  })
})

test('a list of something else is not understood', async () => {
  for (const result of [null, {}, [1], [{ id: 1 }], 'none']) {
    api.upstream.on(`GET /client/v4/zones/${api.zoneId}/dns_records`, { body: { success: true, result } })
    expect((await failureOf(driver().remove(newHosts(), inTime()))).kind).toBe('bad_answer')
  }
})

test('an API that nobody answers at cannot be reached', async () => {
  const gone = await startCloudflareApi()
  const settings = { target: address, apiToken: api.token, zoneId: api.zoneId, apiBase: gone.upstream.url }
  await gone.upstream.close()
  const failure = await failureOf(createCloudflareDriver(settings, outbound).register(newHosts(), inTime()))
  expect(failure).toMatchObject({
    kind: 'unreachable',
    message: 'The API of Cloudflare is unreachable: the connection failed.',
  })
})
