// The Route 53 driver against an API on loopback that recomputes every signature: the contract of all drivers, then
// what is sent, and what the API may answer instead.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { createDnsDriver } from '../../src/dns/create-driver.ts'
import type { DnsTarget } from '../../src/dns/driver.ts'
import type { Outbound } from '../../src/outbound/outbound.ts'
import { commonFaults, openOutbound } from './api-faults.ts'
import { address, describeDriver, failureOf, inTime, newHosts } from './driver-contract.ts'
import { bad, type Route53Api, startRoute53Api } from './route53-api.ts'

let api: Route53Api
let outbound: Outbound

beforeAll(async () => {
  api = await startRoute53Api()
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
const driver = (target: DnsTarget = address, more: Record<string, string> = {}) => {
  const { dns } = loadConfig({
    DNS_PROVIDER: 'route53',
    DNS_TARGET: target.target,
    AWS_ACCESS_KEY_ID: api.accessKeyId,
    AWS_SECRET_ACCESS_KEY: api.secretAccessKey,
    ROUTE53_ZONE_ID: api.zoneId,
    ROUTE53_API_BASE: api.upstream.url,
    ...more,
  })
  return createDnsDriver(dns, { outbound, now: Date.now })
}
const calls = () => api.upstream.requests.map(({ method, path }) => `${method} ${path.split('/').slice(4).join('/')}`)
const root = () => `/2013-04-01/hostedzone/${api.zoneId}`

describe('contract', () => {
  describeDriver(() => ({
    driver,
    stranger: () => driver(address, { AWS_SECRET_ACCESS_KEY: 'secret-of-another' }),
    recordsOf: async name =>
      api.records
        .filter(record => record.name === `${name}.`)
        .map(({ type, values }) => `${type} ${values.join()}`)
        .sort(),
    async putText(name, text) {
      api.records.push({ name: `${name}.`, type: 'TXT', ttl: '60', values: [text] })
    },
    goAway: async () => api.upstream.on('*', { hangUp: true }),
    comeBack: async () => api.serve(),
    freeze: () => api.upstream.on('*', { write: () => undefined }),
    thaw: () => undefined,
    secrets: [api.secretAccessKey, 'secret-of-another', api.accessKeyId, api.upstream.host],
  }))
})

test('both names are one batch, nothing is written where nothing is to be changed, and the zone is asked for once', async () => {
  const [one, hosts] = [driver(), newHosts()]
  await one.register(hosts, inTime())
  await one.register(hosts, inTime())
  expect(calls()).toEqual(['GET ', 'GET rrset', 'GET rrset', 'POST rrset', 'GET rrset', 'GET rrset'])
  api.upstream.requests.length = 0
  await one.remove(hosts, inTime())
  await one.remove(hosts, inTime())
  expect(calls()).toEqual(['GET rrset', 'GET rrset', 'POST rrset', 'GET rrset', 'GET rrset'])
})

test('removes a record as somebody else has made it', async () => {
  const hosts = newHosts()
  api.records.push({ name: `${hosts.public}.`, type: 'AAAA', ttl: '17', values: ['2001:db8::1', '2001:db8::2'] })
  await driver().remove(hosts, inTime())
  expect(api.records.filter(({ name }) => name === `${hosts.public}.`)).toEqual([])
})

test('leaves an alias to its owner', async () => {
  const hosts = newHosts()
  const more = '<AliasTarget><HostedZoneId>Z2</HostedZoneId><DNSName>a.</DNSName></AliasTarget>'
  api.records.push({ name: `${hosts.public}.`, type: 'A', ttl: '', values: [], more })
  await driver().remove(hosts, inTime())
  expect(api.records.find(({ name }) => name === `${hosts.public}.`)?.more).toBe(more)
})

test('takes the hosted zone as the API names it', async () => {
  await driver(address, { ROUTE53_ZONE_ID: `/hostedzone/${api.zoneId}` }).register(newHosts(), inTime())
})

describe.each(['zone', 'list', 'change'] as const)('the API refuses the %s', step => {
  const refuseWith = (answer: Parameters<typeof api.upstream.on>[1]) =>
    api.upstream.on(`${step === 'change' ? 'POST' : 'GET'} ${root()}${step === 'zone' ? '' : '/rrset'}`, answer)

  test.each([
    ...commonFaults,
    ['401', { status: 401, body: '' }, 'credentials', /\(401\): check the access key and its policy\./],
    [
      '403',
      bad(403, 'AccessDenied', 'User: arn:aws:iam::123456789012:user/x is not authorized'),
      'credentials',
      /^Route 53 rejected the access key \(AccessDenied\): the policy of the access key does not allow it\.$/,
    ],
    ['an unknown key', bad(403, 'InvalidClientTokenId', 'x'), 'credentials', /it does not know AWS_ACCESS_KEY_ID/],
    ['404', bad(404, 'NoSuchHostedZone', 'x'), 'unknown_zone', /check ROUTE53_ZONE_ID/],
    ['throttling', bad(400, 'Throttling', 'Rate exceeded'), 'limited', /limits the rate of requests \(Throttling\)/],
    ['an earlier change', bad(400, 'PriorRequestNotComplete', 'x'), 'limited', /PriorRequestNotComplete/],
    [
      '400',
      bad(400, 'InvalidInput', 'Name\n too &lt;long&gt;'),
      'refused',
      /^Route 53 rejected the change \(InvalidInput: Name too <long>\)\.$/,
    ],
    ['an odd code', bad(400, 'x<y', 'x'), 'bad_answer', /sent an invalid response/],
  ] as typeof commonFaults)('%s', async (_what, answer, kind, words) => {
    const hosts = newHosts()
    const one = driver()
    refuseWith(answer)
    const failure = await failureOf(one.register(hosts, inTime()), [api.secretAccessKey, '123456789012'])
    expect(failure.kind).toBe(kind)
    expect(failure.message).toMatch(words)
  })
})

test('says which of the two halves of the key is wrong', async () => {
  const register = (more: Record<string, string>) =>
    failureOf(driver(address, more).register(newHosts(), inTime()), [api.secretAccessKey])
  expect(await register({ AWS_ACCESS_KEY_ID: 'AKIDOTHER' })).toMatchObject({
    message: 'Route 53 rejected the access key (InvalidClientTokenId): it does not know AWS_ACCESS_KEY_ID.',
  })
  expect(await register({ AWS_SECRET_ACCESS_KEY: 'another' })).toMatchObject({
    message:
      'Route 53 rejected the access key (SignatureDoesNotMatch): AWS_SECRET_ACCESS_KEY is not the secret of AWS_ACCESS_KEY_ID.',
  })
})

test('a batch that is refused for another reason says why, without what is secret', async () => {
  api.upstream.on(`POST ${root()}/rrset`, bad(400, 'InvalidChangeBatch', `no room for ${api.secretAccessKey}`))
  expect(await failureOf(driver().register(newHosts(), inTime()), [api.secretAccessKey])).toMatchObject({
    kind: 'refused',
    message: 'Route 53 rejected the change (InvalidChangeBatch: no room for [secret]).',
  })
})
