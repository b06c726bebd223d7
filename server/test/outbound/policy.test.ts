// The address rules as pure decisions: the corpus of abusive URLs, the controls, OUTBOUND_ALLOW, and random addresses
// in random notations against an oracle of its own.
import { BlockList } from 'node:net'
import fc from 'fast-check'
import { describe, expect, inject, it, test } from 'vitest'
import { checkAddressForm, mayConnect, parseOutboundAllow } from '../../src/outbound/policy.ts'
import { readControls, readCorpus } from './fixtures.ts'

const nothing = parseOutboundAllow(undefined)
const reasonFor = (url: string, allow = '') => {
  const verdict = checkAddressForm(url, parseOutboundAllow(allow))
  return verdict.ok ? 'ok' : verdict.reason
}

describe('form alone', () => {
  const byForm = readCorpus().filter(({ layer }) => 'SLN'.includes(layer))

  it('has a corpus worth the name', () => expect(byForm.length).toBeGreaterThan(250))

  test.each(byForm)('refuses $layer $url', ({ url }) => {
    expect(checkAddressForm(url, nothing).ok).toBe(false)
  })

  test.each(readControls())('accepts %s', url => {
    expect(reasonFor(url)).toBe('ok')
  })

  test.each([
    ['https://api.example.org:9443/v1', 'port'],
    ['http://api.example.org/v1', 'scheme'],
    ['https://@api.example.org/v1', 'user_info'],
    ['https://api.example.org/v1?', 'query'],
    ['https://api.example.org/v1#', 'fragment'],
    ['https://api.example.org/v1//x', 'path'],
    ['https://api.example.org/v1/.%2E/x', 'path'],
    ['https://api.example.org/v1%2fx', 'path'],
    ['https://api.example.org/v1%00', 'path'],
    ['https://api.example.org./v1', 'name'],
    ['https://4.3.2.1.in-addr.arpa/v1', 'name'],
    ['https://168.63.129.16/v1', 'address'],
    ['https:api.example.org/v1', 'not_a_url'],
    ['https://api.exa\tmple.org/v1', 'not_a_url'],
    [' https://api.example.org/v1', 'not_a_url'],
    [`https://api.example.org/${'x'.repeat(2048)}`, 'too_long'],
    ['', 'not_a_url'],
  ])('%s: %s', (url, reason) => expect(reasonFor(url)).toBe(reason))
})

describe('OUTBOUND_ALLOW', () => {
  const allow = 'localhost, vllm.corp:8000 ,10.1.0.0/16, 192.168.7.7, [fd00::5]:9000, fd00:1::/32, ::1'

  test.each([
    ['http://localhost/v1', 'ok'],
    ['http://LOCALHOST:11434/v1', 'ok'],
    ['https://localhost:1/v1', 'ok'],
    ['http://a.localhost/v1', 'scheme'],
    ['https://a.localhost/v1', 'name'],
    ['http://vllm.corp:8000/v1', 'ok'],
    ['https://vllm.corp:8000/v1', 'ok'],
    ['https://vllm.corp/v1', 'name'],
    ['http://10.1.255.255:81/v1', 'ok'],
    ['http://0x0a010001:81/v1', 'ok'],
    ['https://10.2.0.1/v1', 'address'],
    ['https://[::ffff:10.1.0.1]/v1', 'address'],
    ['http://192.168.7.7/v1', 'ok'],
    ['https://192.168.7.8/v1', 'address'],
    ['http://[fd00::5]:9000/v1', 'ok'],
    ['https://[fd00::5]/v1', 'address'],
    ['http://[fd00:1::9]/v1', 'ok'],
    ['http://[::1]:8080/v1', 'ok'],
    ['http://user@localhost/v1', 'user_info'],
    ['http://localhost/v1?x=1', 'query'],
    ['http://localhost/v1/../x', 'path'],
    ['file://localhost/etc/passwd', 'scheme'],
    ['https://api.example.org/v1', 'ok'],
  ])('%s: %s', (url, reason) => expect(reasonFor(url, allow)).toBe(reason))

  it('lets a listed name lead anywhere, another into the listed networks only', () => {
    const rules = parseOutboundAllow(allow)
    const may = (url: string, address: string) => mayConnect(new URL(url), address, rules)
    expect(may('http://localhost:5000', '127.0.0.1')).toBe(true)
    expect(may('http://vllm.corp:8000', '172.16.0.1')).toBe(true)
    expect(may('https://vllm.corp', '172.16.0.1')).toBe(false)
    expect(may('https://api.example.org', '10.1.2.3')).toBe(true)
    expect(may('https://api.example.org', '10.2.2.3')).toBe(false)
    expect(may('https://api.example.org', '::ffff:10.1.2.3')).toBe(false)
    expect(may('https://api.example.org', 'fe80::1%eth0')).toBe(false)
    expect(may('https://api.example.org', '')).toBe(false)
  })

  test.each(['http://x', 'x:y', 'x:0', 'x:70000', '10.0.0.0/33', '10.0/8', 'fd00::/129', 'a b', '*.corp', 'u@x', 'x/'])(
    'refuses the entry %s in clear words',
    entry => expect(() => parseOutboundAllow(`ok.org,${entry}`)).toThrow(`OUTBOUND_ALLOW: "${entry}" is not a host`),
  )
})

// ── Random addresses ─────────────────────────────────────────────────────────────────────────────────────────────────
// The oracle is node's BlockList over the IANA registries, written down once more and apart from the code under test.

const special4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32`.split(/\s+/)
const special6 = '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20'.split(' ')
const odd6 =
  '::/96 ::ffff:0:0/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8'

function listOf(family: 'ipv4' | 'ipv6', networks: string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [base = '', bits] = network.split('/')
    list.addSubnet(base, Number(bits), family)
  }
  return list
}

const blocked4 = listOf('ipv4', special4)
const blocked6 = listOf('ipv6', special6)
const global6 = listOf('ipv6', ['2000::/3'])

const bytesOf = (address: string): number[] => {
  if (address.includes(':')) {
    const [head = '', tail = ''] = address.split('::')
    const left = head.split(':').filter(Boolean)
    const right = tail.split(':').filter(Boolean)
    const groups = [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
    return groups.flatMap(group => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
  }
  return address.split('.').map(Number)
}

/** Any bytes, or bytes inside one of the networks, or one off its edge. */
const addressIn = (networks: string[], length: number) =>
  fc
    .record({
      network: fc.option(fc.constantFrom(...networks), { freq: 3 }),
      bytes: fc.uint8Array({ minLength: length, maxLength: length }),
      edge: fc.constantFrom(0, 0, -1, 1),
    })
    .map(({ network, bytes, edge }) => {
      if (!network) return [...bytes]
      const [base = '', bits] = network.split('/')
      const prefix = bytesOf(base)
      const mixed = prefix.map((byte, index) => {
        const kept = Math.min(8, Math.max(0, Number(bits) - index * 8))
        const mask = (0xff << (8 - kept)) & 0xff
        return (byte & mask) | (bytes[index]! & ~mask & 0xff)
      })
      const last = Math.max(0, Math.ceil(Number(bits) / 8) - 1)
      mixed[last] = (mixed[last]! + edge + 256) % 256
      return mixed
    })

const number = (value: number, notation: number, pad: string) =>
  [
    String(value),
    `0x${pad}${value.toString(16)}`,
    `0${pad}${value.toString(8)}`,
    `0X${value.toString(16).toUpperCase()}`,
  ][notation]!

interface Notation4 {
  parts: number
  styles: number[]
  pad: string
  dot: string
  end: string
}

const notation4: fc.Arbitrary<Notation4> = fc.record({
  parts: fc.integer({ min: 1, max: 4 }),
  styles: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 4 }),
  pad: fc.constantFrom('', '', '0', '0000'),
  dot: fc.constantFrom('.', '.', '%2E', '。', '｡'),
  end: fc.constantFrom('', '', '', '.'),
})

function write4(bytes: number[], { parts, styles, pad, dot, end }: Notation4): string {
  const head = bytes.slice(0, parts - 1)
  const tail = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0)
  return [...head, tail].map((value, index) => number(value, styles[index]!, pad)).join(dot) + end
}

const notation6 = fc.record({ style: fc.constantFrom('full', 'short', 'upper', 'dotted', 'padded') })

function write6(bytes: number[], { style }: { style: string }): string {
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((bytes[index * 2]! << 8) | bytes[index * 2 + 1]!).toString(16),
  )
  if (style === 'padded') return groups.map(group => group.padStart(4, '0')).join(':')
  if (style === 'dotted') return `${groups.slice(0, 6).join(':')}:${bytes.slice(12).join('.')}`
  if (style === 'upper') return groups.join(':').toUpperCase()
  if (style === 'short') return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
  return groups.join(':')
}

describe('random addresses in random notations', () => {
  const numRuns = inject('prove') ? 100_000 : 3000

  it('IPv4: refused if and only if it is not public unicast', () => {
    fc.assert(
      fc.property(addressIn(special4, 4), notation4, (bytes, notation) => {
        const isPublic = !blocked4.check(bytes.join('.'), 'ipv4')
        expect(reasonFor(`https://${write4(bytes, notation)}/v1`)).toBe(isPublic ? 'ok' : 'address')
        expect(mayConnect(new URL('https://api.example.org'), bytes.join('.'), nothing)).toBe(isPublic)
      }),
      { numRuns },
    )
  })

  it('IPv6: refused if and only if it is not public unicast', () => {
    const networks = ['2000::/3', '2600::/12', ...special6, ...odd6.split(' ')]
    fc.assert(
      fc.property(addressIn(networks, 16), notation6, (bytes, notation) => {
        const plain = write6(bytes, { style: 'full' })
        const isPublic = global6.check(plain, 'ipv6') && !blocked6.check(plain, 'ipv6')
        expect(reasonFor(`https://[${write6(bytes, notation)}]/v1`)).toBe(isPublic ? 'ok' : 'address')
        expect(mayConnect(new URL('https://api.example.org'), plain, nothing)).toBe(isPublic)
      }),
      { numRuns },
    )
  })
})
