// The outbound client through a real egress proxy: tunnels, forwarded requests, exceptions, address rules and failures.
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createServer as createTcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { SmallRequest } from '../../src/outbound/outbound.ts'
import { findProxy, type Proxies, readProxy, readProxyExceptions } from '../../src/outbound/proxies.ts'
import { type EgressProxy, startEgressProxy } from '../support/simulated/egress-proxy.ts'
import { listen, selfSigned } from './fixtures.ts'
import { failureOf, listener, outboundWith, request, secret, serve, upstream } from './outbound-stage.ts'

const basic = `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`

let proxy: EgressProxy
beforeEach(async () => {
  proxy = await startEgressProxy()
  onTestFinished(() => proxy.close())
})

interface ClientOptions {
  allow?: string
  proxyUrl?: string
  exceptions?: string
  connectTimeoutMs?: number
}

/** A client whose resolver knows only loopback, and the names that it resolved. */
function clientOf({ allow = '', exceptions = '', ...options }: ClientOptions = {}) {
  const resolved: string[] = []
  const resolve = async (host: string) => {
    resolved.push(host)
    return ['127.0.0.1']
  }
  const one = readProxy(options.proxyUrl ?? `http://user:${secret}@127.0.0.1:${proxy.port}`)!
  const proxies: Proxies = { https: one, http: one, exceptions: readProxyExceptions(exceptions)! }
  const { connectTimeoutMs = 60_000 } = options
  return { outbound: outboundWith(allow, { proxies, resolve, connectTimeoutMs }), resolved }
}

/** Trusts the certificate of the test's servers, which is for `localhost`. */
function trustTestCertificate(): void {
  const known = getCACertificates('default')
  onTestFinished(() => setDefaultCACertificates(known))
  setDefaultCACertificates([...known, selfSigned.cert])
}

const targets = () => proxy.requests.map(({ method, target }) => `${method} ${target}`)

describe('https', () => {
  beforeEach(trustTestCertificate)

  test('goes through a tunnel, whose connection is used again; only the proxy gets its credentials', async () => {
    const seen: unknown[] = []
    const port = await serve(
      createTlsServer(selfSigned, async (incoming, outgoing) => {
        let body = ''
        for await (const chunk of incoming) body += chunk
        seen.push([incoming.url, incoming.headers.host, incoming.headers['proxy-authorization'], body.length])
        outgoing.end('ok')
      }),
    )
    const { outbound, resolved } = clientOf({ allow: 'localhost' })
    const url = `https://localhost:${port}/v1?a=b`
    const large = 'x'.repeat(3_000_000)
    for (const body of ['short', large]) {
      expect((await outbound.send(request(url, { body }))).body.toString()).toBe('ok')
    }
    const host = `localhost:${port}`
    expect(seen).toEqual([
      ['/v1?a=b', host, undefined, 5],
      ['/v1?a=b', host, undefined, large.length],
    ])
    expect(targets()).toEqual([`CONNECT ${host}`])
    expect(proxy.requests[0]?.headers).toMatchObject({ host, 'proxy-authorization': basic })
    expect(Object.keys(proxy.requests[0]?.headers ?? {})).not.toContain('authorization')
    // The proxy resolves the name.
    expect(resolved).toEqual([])
  })

  test('streams piece by piece, and holds back on request', async () => {
    let send: (text: string) => void = () => undefined
    const port = await serve(
      createTlsServer(selfSigned, (_incoming, outgoing) => {
        outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        send = text => (text === '' ? outgoing.end() : outgoing.write(text))
      }),
    )
    const { outbound } = clientOf({ allow: 'localhost' })
    const { receiver, heard, over } = listener()
    const call = outbound.open(request(`https://localhost:${port}/`), receiver)
    await expect.poll(() => heard).toEqual(['200'])
    for (const text of ['one', 'two']) {
      send(text)
      await expect.poll(() => heard.at(-1)).toBe(text)
    }
    call.pause()
    send('three')
    send('')
    await sleep(100)
    expect(heard).toEqual(['200', 'one', 'two'])
    call.resume()
    await over
    expect(heard.slice(0, 3)).toEqual(['200', 'one', 'two'])
    expect(heard.slice(3).join('')).toBe('threeend')
  })

  test('to a proxy that speaks TLS itself', async () => {
    const secure = await startEgressProxy(selfSigned)
    onTestFinished(() => secure.close())
    const port = await serve(createTlsServer(selfSigned, (_incoming, outgoing) => outgoing.end('ok')))
    const proxyUrl = `https://localhost:${secure.port}`
    const { outbound, resolved } = clientOf({ allow: 'localhost', proxyUrl })
    expect((await outbound.send(request(`https://localhost:${port}/`))).body.toString()).toBe('ok')
    expect(secure.requests).toMatchObject([{ method: 'CONNECT', target: `localhost:${port}` }])
    expect(secure.requests[0]?.headers['proxy-authorization']).toBeUndefined()
    expect(resolved).toEqual(['localhost'])
  })

  test('names the port and the brackets of an address', async () => {
    const { outbound } = clientOf()
    proxy.refuseWith(socket => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
    for (const url of ['https://api.example.org/', 'https://[2600::1]/', 'https://9.9.9.9:8443/']) {
      await failureOf(outbound.send(request(url)))
    }
    expect(targets()).toEqual(['CONNECT api.example.org:443', 'CONNECT [2600::1]:443', 'CONNECT 9.9.9.9:8443'])
  })
})

test('the certificate of the origin is checked inside the tunnel', async () => {
  const port = await serve(createTlsServer(selfSigned, (_incoming, outgoing) => outgoing.end('ok')))
  const { outbound } = clientOf({ allow: 'localhost' })
  const failure = await failureOf(outbound.send(request(`https://localhost:${port}/`)))
  expect(failure).toMatchObject({ kind: 'tls', connected: false })
})

describe('http', () => {
  test('goes to the proxy in absolute form, with its credentials', async () => {
    const port = await upstream((incoming, outgoing) => {
      outgoing.end(`${incoming.url} ${incoming.headers.host} ${incoming.headers.authorization}`)
    })
    const origin = 'http://models.example.org:8080'
    proxy.hosts.set('models.example.org:8080', port)
    const { outbound, resolved } = clientOf({ allow: 'models.example.org' })
    // The caller has no say in what the proxy gets.
    const headers = { authorization: 'Bearer x', 'Proxy-Authorization': 'Basic forged' }
    for (let round = 0; round < 2; round++) {
      const { body } = await outbound.send(request(`${origin}/v1?a=b`, { headers }))
      expect(body.toString()).toBe('/v1?a=b models.example.org:8080 Bearer x')
    }
    expect(targets()).toEqual(Array(2).fill(`POST ${origin}/v1?a=b`))
    for (const { headers } of proxy.requests) expect(headers['proxy-authorization']).toBe(basic)
    const plain = clientOf({ allow: 'models.example.org', proxyUrl: `127.0.0.1:${proxy.port}` }).outbound
    await plain.send(request(`${origin}/`, { headers }))
    expect(proxy.requests.at(-1)?.headers['proxy-authorization']).toBeUndefined()
    expect(resolved).toEqual([])
  })

  test('uses its connection to the proxy again', async () => {
    let connections = 0
    const port = await serve(
      createTcpServer(socket => {
        connections += 1
        socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
      }),
    )
    const { outbound } = clientOf({ allow: 'a.example.org', proxyUrl: `127.0.0.1:${port}` })
    for (let round = 0; round < 3; round++) await outbound.send(request('http://a.example.org/'))
    expect(connections).toBe(1)
  })

  test('a 407 is the failure of the proxy; other answers are passed', async () => {
    const { outbound } = clientOf({ allow: 'a.example.org' })
    const answer = (status: number) => (socket: Socket) =>
      socket.end(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`)
    proxy.refuseWith(answer(407))
    const failure = await failureOf(outbound.send(request('http://a.example.org/')))
    expect(failure).toMatchObject({ kind: 'connect', reason: 'PROXY_AUTHENTICATION_REQUIRED', connected: false })
    proxy.refuseWith(answer(503))
    expect((await outbound.send(request('http://a.example.org/'))).status).toBe(503)
    const port = await upstream((_incoming, outgoing) => outgoing.writeHead(407).end())
    const direct = outboundWith('127.0.0.1')
    expect((await direct.send(request(`http://127.0.0.1:${port}/`))).status).toBe(407)
  })
})

describe('a tunnel that does not open fails as a connection, and is not tried again', () => {
  const cases: [string, string, (socket: Socket) => void][] = [
    [
      'connect',
      'PROXY_AUTHENTICATION_REQUIRED',
      socket => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    ],
    ['connect', 'PROXY_REFUSED', socket => socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 3\r\n\r\nbad')],
    ['connect', 'PROXY_REFUSED', socket => socket.end('HTTP/1.1 302 Found\r\nlocation: http://a\r\n\r\n')],
    [
      'connect',
      'PROXY_UNEXPECTED_DATA',
      socket => socket.write('HTTP/1.1 200 OK\r\n\r\nbytes before the origin could send any'),
    ],
    ['connect', 'PROXY_ECONNRESET', socket => socket.destroy()],
    ['connect', 'PROXY_HPE_INVALID_CONSTANT', socket => socket.end(`SSH-2.0-x ${secret}\r\n`)],
    ['timeout', 'PROXY_CONNECT', () => undefined],
  ]
  test.each(cases)('%s, %s', async (kind, reason, answer) => {
    proxy.refuseWith(answer)
    const { outbound } = clientOf({ connectTimeoutMs: kind === 'timeout' ? 300 : 60_000 })
    const failure = await failureOf(outbound.send(request('https://api.example.org/')))
    expect(failure).toMatchObject({ kind, reason, connected: false })
    expect(targets()).toEqual(['CONNECT api.example.org:443'])
  })

  test.each(['https://api.example.org/', 'http://api.example.org/'])('%s: nobody listens', async url => {
    const closed = createTcpServer()
    const free = await listen(closed)
    await new Promise(resolve => closed.close(resolve))
    const { outbound } = clientOf({ allow: 'api.example.org', proxyUrl: `http://user:${secret}@127.0.0.1:${free}` })
    const failure = await failureOf(outbound.send(request(url)))
    expect(failure).toMatchObject({ kind: 'connect', reason: 'PROXY_ECONNREFUSED', connected: false })
  })
})

describe("the rules for tenants' addresses", () => {
  test.each([
    ['https://127.0.0.1/', 'address'],
    ['https://[::1]/', 'address'],
    ['https://169.254.169.254/latest', 'address'],
    ['https://2130706433/', 'address'],
    ['https://localhost/', 'name'],
    ['https://metadata.google.internal/', 'name'],
    ['https://redis/', 'name'],
    ['http://api.example.org/', 'scheme'],
    ['https://api.example.org:8080/', 'port'],
  ])('reject %s before the proxy is asked', async (url, reason) => {
    const { outbound } = clientOf()
    expect(await failureOf(outbound.send(request(url)))).toMatchObject({ kind: 'blocked', reason })
    expect(await failureOf(outbound.check(url))).toMatchObject({ kind: 'blocked', reason })
    expect(proxy.requests).toEqual([])
  })

  test('do not resolve a name that the proxy resolves', async () => {
    const { outbound, resolved } = clientOf()
    expect((await outbound.check('https://api.example.org/v1')).host).toBe('api.example.org')
    expect(resolved).toEqual([])
  })

  test('resolve a name that NO_PROXY lists, which goes directly', async () => {
    const port = await upstream((_incoming, outgoing) => outgoing.end('direct'))
    const { outbound, resolved } = clientOf({ allow: 'in.example.org', exceptions: '.example.org' })
    const { body } = await outbound.send(request(`http://in.example.org:${port}/`))
    expect(body.toString()).toBe('direct')
    expect(resolved).toEqual(['in.example.org'])
    const failure = await failureOf(outbound.send(request('https://other.example.org/')))
    expect(failure).toMatchObject({ kind: 'blocked', reason: 'resolved_address' })
    expect(await failureOf(outbound.check('https://other.example.org/'))).toMatchObject({ kind: 'blocked' })
    expect(proxy.requests).toEqual([])
  })

  test("hold for the operator's own addresses as little as without a proxy", async () => {
    const port = await upstream((_incoming, outgoing) => outgoing.end('ok'))
    const { outbound } = clientOf()
    const operator: Partial<SmallRequest> = { guard: 'operator' }
    const url = `http://127.0.0.1:${port}/`
    expect((await outbound.send(request(url, operator))).body.toString()).toBe('ok')
    expect(targets()).toEqual([`POST ${url}`])
  })
})

describe('NO_PROXY', () => {
  const one = readProxy('http://proxy:3128')!
  const isProxied = (url: string, exceptions: string) =>
    findProxy(new URL(url), { https: one, http: one, exceptions: readProxyExceptions(exceptions)! }) !== null

  test.each([
    ['*', 'https://a.example.org', false],
    ['a.example.org', 'https://a.example.org', false],
    ['A.Example.org.', 'https://a.example.org', false],
    ['a.example.org', 'https://a.example.org.', false],
    ['a.example.org', 'https://b.a.example.org', false],
    ['a.example.org', 'https://ba.example.org', true],
    ['a.example.org', 'https://example.org', true],
    ['.example.org', 'https://a.example.org', false],
    ['*.example.org', 'https://a.example.org', false],
    ['.example.org', 'https://example.org', false],
    ['.example.org', 'https://badexample.org', true],
    ['a.example.org:8443', 'https://a.example.org:8443', false],
    ['a.example.org:443', 'https://a.example.org', false],
    ['a.example.org:443', 'http://a.example.org', true],
    ['a.example.org:80', 'http://a.example.org', false],
    ['a.example.org:8443', 'https://a.example.org', true],
    ['10.1.2.3', 'http://10.1.2.3:5002', false],
    ['10.1.2.3', 'http://10.1.2.4', true],
    ['2.3', 'http://10.1.2.3', true],
    ['10.1.2.3:80', 'http://10.1.2.3:81', true],
    ['10.0.0.0/8', 'http://10.1.2.3', false],
    ['10.0.0.0/8', 'http://11.1.2.3', true],
    ['10.0.0.0/8', 'http://ten.example.org', true],
    ['::1', 'http://[::1]:8080', false],
    ['[::1]:8080', 'http://[::1]:8080', false],
    ['[::1]:8080', 'http://[::1]:8081', true],
    ['fd00::/8', 'http://[fd00::7]', false],
    ['x.org, a.example.org  localhost', 'http://localhost:8080', false],
    ['', 'http://localhost', true],
    ['', 'http://127.0.0.1', true],
  ])('%j, %s: through the proxy %s', (exceptions, url, expected) => {
    expect(isProxied(url, exceptions)).toBe(expected)
  })

  test('each scheme has its own proxy', () => {
    const exceptions = readProxyExceptions('')!
    const [https, http] = [new URL('https://a.example.org'), new URL('http://a.example.org')]
    expect(findProxy(https, { https: one, http: null, exceptions })).toBe(one)
    expect(findProxy(http, { https: one, http: null, exceptions })).toBeNull()
    expect(findProxy(https, { https: null, http: one, exceptions })).toBeNull()
  })
})

test.each([
  ['proxy', { protocol: 'http:', hostname: 'proxy', host: 'proxy', port: '80', authorization: null }],
  ['proxy:3128', { protocol: 'http:', hostname: 'proxy', port: '3128' }],
  ['https://proxy/', { protocol: 'https:', hostname: 'proxy', port: '443' }],
  ['http://[::1]:3128', { hostname: '::1', host: '[::1]:3128', port: '3128' }],
  ['http://us%40er:p%C3%A4ss@proxy', { authorization: `Basic ${Buffer.from('us@er:päss').toString('base64')}` }],
  ['user@proxy:3128', { hostname: 'proxy', authorization: `Basic ${Buffer.from('user:').toString('base64')}` }],
])('the address of a proxy: %s', (text, expected) => {
  expect(readProxy(text)).toMatchObject(expected)
})
