// Dynamic updates against a real BIND: the contract of all drivers, then keys, zones, clocks, and answers that somebody
// on the way has touched.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { recordClass, writeUpdate } from '../../src/dns/dns-message.ts'
import type { DnsDriver } from '../../src/dns/driver.ts'
import { queryOverTcp } from '../../src/dns/query-over-tcp.ts'
import { createRfc2136Driver, type Rfc2136Settings } from '../../src/dns/rfc2136.ts'
import { signMessage } from '../../src/dns/tsig.ts'
import { type BindServer, makeUpdateKey, startBind } from '../support/simulated/name-server.ts'
import { suspendProcess } from '../support/suspend-process.ts'
import { address, describeDriver, failureOf, inTime, newHosts, zone } from './driver-contract.ts'

const algorithms = ['hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512']
const key = makeUpdateKey('update-key')
/** Of somebody who may write everything. */
const ownerKey = makeUpdateKey('owner')
const keys = [key, ownerKey, ...algorithms.map(algorithm => makeUpdateKey(`key-of-${algorithm}`, algorithm))]
let bind: BindServer

beforeAll(async () => {
  // As the documentation advises.
  const grants = keys.map(
    ({ name }) => `grant ${name} subdomain ${zone}. ${name === ownerKey.name ? 'ANY' : 'A AAAA CNAME'};`,
  )
  bind = await startBind({
    keys,
    zones: {
      [zone]: `update-policy { ${grants.join(' ')} };`,
      'closed.test': 'allow-update { none; };',
      'open.test': 'allow-update { 127.0.0.1; };',
    },
  })
})
afterAll(() => bind.stop())

const settings = (): Rfc2136Settings => ({
  target: address,
  server: { host: '127.0.0.1', port: bind.port },
  zone,
  key,
})
const driverWith = (more: Partial<Rfc2136Settings>, now = Date.now): DnsDriver =>
  createRfc2136Driver({ ...settings(), ...more }, now)
const hostsIn = (other: string) => ({ public: `amber.${other}`, internal: `amber.dev.${other}` })

describe('contract', () => {
  describeDriver(() => ({
    driver: target => driverWith(target === undefined ? {} : { target }),
    stranger: () => driverWith({ key: makeUpdateKey(key.name) }),
    recordsOf: async name => {
      const types = ['A', 'AAAA', 'CNAME', 'TXT'] as const
      const found = await Promise.all(
        types.map(async type => (await bind.ask(name, type)).map(value => `${type} ${value}`)),
      )
      return found.flat()
    },
    async putText(name, text) {
      const data = Buffer.concat([Buffer.of(text.length), Buffer.from(text)])
      const record = { name, type: 16, class: recordClass.IN, ttl: 60, data }
      const message = writeUpdate(7, zone, [record])
      await queryOverTcp(settings().server, signMessage(message, ownerKey, Date.now()).bytes, inTime())
    },
    goAway: () => bind.halt(),
    comeBack: () => bind.restart(),
    freeze: () => suspendProcess(bind.pid),
    thaw: () => void process.kill(bind.pid, 'SIGCONT'),
    secrets: [key.secret.toString('base64'), key.secret.toString('hex'), String(bind.port)],
  }))
})

test.each(algorithms)('signs and verifies with %s', async algorithm => {
  const hosts = newHosts()
  const own = keys.find(({ name }) => name === `key-of-${algorithm}`) ?? null
  expect(own?.algorithm).toBe(algorithm)
  await driverWith({ key: own }).register(hosts, inTime())
  expect(await bind.ask(hosts.internal, 'A')).toEqual(['192.0.2.1'])
})

test.each<[string, () => DnsDriver, string, string, string]>([
  [
    'a key that the server does not have',
    () => driverWith({ key: makeUpdateKey('unknown') }),
    zone,
    'credentials',
    'The DNS server rejected the key (BADKEY): check name and algorithm in DNS_RFC2136_KEY, and whether the key may change this zone.',
  ],
  [
    'a key under another algorithm',
    () => driverWith({ key: { ...key, algorithm: 'hmac-sha512' } }),
    zone,
    'credentials',
    'The DNS server rejected the key (BADKEY): check name and algorithm in DNS_RFC2136_KEY, and whether the key may change this zone.',
  ],
  [
    'a wrong secret',
    () => driverWith({ key: makeUpdateKey(key.name) }),
    zone,
    'credentials',
    'The DNS server rejected the signature (BADSIG): the secret in DNS_RFC2136_KEY differs from the one of the server.',
  ],
  [
    'no key where one is asked for',
    () => driverWith({ key: null }),
    zone,
    'refused',
    `The DNS server does not allow changes of the zone ${zone} without a key (REFUSED): set DNS_RFC2136_KEY.`,
  ],
  [
    'a zone that is closed',
    () => driverWith({ zone: 'closed.test' }),
    'closed.test',
    'refused',
    'The DNS server does not allow this key to change the zone closed.test (REFUSED).',
  ],
  [
    'a zone that the server does not have',
    () => driverWith({ zone: 'other.test' }),
    'other.test',
    'unknown_zone',
    'The DNS server is not authoritative for the zone other.test (NOTAUTH): check DNS_RFC2136_ZONE.',
  ],
  [
    'a zone that the server does not have, without a key',
    () => driverWith({ zone: 'other.test', key: null }),
    'other.test',
    'unknown_zone',
    'The DNS server is not authoritative for the zone other.test, or requires a key (NOTAUTH): check DNS_RFC2136_ZONE and DNS_RFC2136_KEY.',
  ],
  [
    'a clock an hour behind',
    () => driverWith({}, () => Date.now() - 3_600_000),
    zone,
    'clock',
    'The DNS server rejected the time of the signature (BADTIME): synchronize the clocks of this service and the server.',
  ],
  [
    'a server without an address',
    () => driverWith({ server: { host: 'ns.gate.invalid', port: 53 } }),
    zone,
    'unreachable',
    'The name in DNS_RFC2136_SERVER does not resolve to an address.',
  ],
])('says what is wrong: %s', async (_what, driver, inZone, kind, message) => {
  const hosts = inZone === zone ? newHosts() : hostsIn(inZone)
  expect(await failureOf(driver().register(hosts, inTime()))).toMatchObject({ kind, message })
  expect(await failureOf(driver().remove(hosts, inTime()))).toMatchObject({ kind, message })
})

test('updates are unsigned without a key, where the server trusts the address', async () => {
  const hosts = hostsIn('open.test')
  await driverWith({ key: null, zone: 'open.test' }).register(hosts, inTime())
  expect(await bind.ask(hosts.public, 'A')).toEqual(['192.0.2.1'])
})

describe('answers that were touched on the way', () => {
  /** Between the driver and BIND; each answer, without its length, goes through `touch`. */
  async function startMiddleman(touch: (answer: Buffer) => Buffer): Promise<Rfc2136Settings['server']> {
    const server: Server = createServer(client => {
      const upstream = connect(bind.port, '127.0.0.1')
      client.on('error', () => upstream.destroy()).pipe(upstream)
      upstream.on('error', () => client.destroy())
      let received = Buffer.alloc(0)
      upstream.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk])
        if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
        const answer = touch(Buffer.from(received.subarray(2)))
        const length = Buffer.alloc(2)
        length.writeUInt16BE(answer.length)
        client.end(Buffer.concat([length, answer]))
        upstream.destroy()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  }

  /** The answer code alone: the lower four bits of the fourth byte. */
  const asSuccess = (answer: Buffer) => {
    answer[3] = (answer[3] ?? 0) & 0xf0
    return answer
  }
  const withoutSignature = (answer: Buffer) => {
    const bare = Buffer.from(answer.subarray(0, 12))
    bare.fill(0, 4)
    return bare
  }
  const badSignature = 'The response of the DNS server has no valid signature of the key.'
  const noAnswer = 'The DNS server sent an invalid response to the update.'

  test('an answer that nobody touched is taken', async () => {
    const server = await startMiddleman(answer => answer)
    await driverWith({ server }).register(newHosts(), inTime())
  })

  test.each<[string, (answer: Buffer) => Buffer, string]>([
    [
      'another byte in the signature',
      answer => Buffer.from(answer.with(answer.length - 20, answer[answer.length - 20]! ^ 1)),
      badSignature,
    ],
    ['another flag', answer => Buffer.from(answer.with(3, answer[3]! ^ 0x20)), badSignature],
    ['a success without a signature', withoutSignature, badSignature],
    ['another id', answer => Buffer.from(answer.with(0, answer[0]! ^ 1)), noAnswer],
    ['a question for an answer', answer => Buffer.from(answer.with(2, answer[2]! & 0x7f)), noAnswer],
    ['an answer to something else', answer => Buffer.from(answer.with(2, answer[2]! & 0x87)), noAnswer],
    ['half of it', answer => answer.subarray(0, answer.length - 9), noAnswer],
    ['more than it', answer => Buffer.concat([answer, Buffer.of(0)]), noAnswer],
    ['nothing', () => Buffer.alloc(0), noAnswer],
    ['noise', answer => Buffer.concat([answer.subarray(0, 2), Buffer.alloc(300, 0xc1)]), noAnswer],
  ])('is not believed: %s', async (_what, touch, message) => {
    const server = await startMiddleman(touch)
    const failure = await failureOf(driverWith({ server }).register(newHosts(), inTime()))
    expect(failure).toMatchObject({ kind: 'bad_answer', message })
  })

  test('a refusal made into a success is not believed', async () => {
    const server = await startMiddleman(asSuccess)
    const refused = driverWith({ server, zone: 'closed.test' })
    expect(await failureOf(refused.register(hostsIn('closed.test'), inTime()))).toMatchObject({ message: badSignature })
    const unknown = driverWith({ server, key: makeUpdateKey(key.name) })
    expect(await failureOf(unknown.register(newHosts(), inTime()))).toMatchObject({ message: badSignature })
  })

  test('an answer of long ago is not believed', async () => {
    let asked = 0
    // When it signs, the clock is right; when it reads the answer, it is an hour later.
    const driver = driverWith({}, () => Date.now() + (asked++ === 0 ? 0 : 3_600_000))
    expect(await failureOf(driver.register(newHosts(), inTime()))).toMatchObject({ message: badSignature })
  })

  test('a server that closes the connection at once says nothing', async () => {
    const server = createServer(client => client.destroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const failure = await failureOf(driverWith({ server: { host: '127.0.0.1', port } }).register(newHosts(), inTime()))
    expect(failure).toMatchObject({
      kind: 'no_answer',
      message: 'The DNS server closed the connection without a response.',
    })
  })
})
