// Tests the failures of outbound calls: each kind by its name, none with more than the caller may know.
import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import type { SmallRequest } from '../../src/outbound/outbound.ts'
import { listen, selfSigned } from './fixtures.ts'
import { failureOf, outboundWith, request, secret, serve, upstream, zone } from './outbound-stage.ts'

describe('faults', () => {
  const cases: Record<
    string,
    { kind: string; more?: Partial<SmallRequest>; listener?: RequestListener; raw?: (socket: Socket) => void }
  > = {
    'an answer that never starts': { kind: 'timeout', more: { timeoutMs: 300 }, raw: () => undefined },
    'a head that trickles': {
      kind: 'timeout',
      more: { timeoutMs: 600 },
      raw: socket => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const timer = setInterval(() => socket.write('x-a: b\r\n'), 50)
        socket.on('close', () => clearInterval(timer))
      },
    },
    'interim answers without end': {
      kind: 'timeout',
      more: { timeoutMs: 600 },
      raw: socket => {
        const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 50)
        socket.on('close', () => clearInterval(timer))
      },
    },
    'a body that trickles': {
      kind: 'timeout',
      more: { timeoutMs: 600 },
      raw: socket => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
        const timer = setInterval(() => socket.write('1\r\nx\r\n'), 50)
        socket.on('close', () => clearInterval(timer))
      },
    },
    'a body without end': {
      kind: 'too_large',
      listener: (_incoming, outgoing) => {
        const pump = () => {
          while (!outgoing.destroyed && outgoing.write(Buffer.alloc(16_384)));
        }
        outgoing.on('drain', pump)
        pump()
      },
    },
    'a length too great': {
      kind: 'too_large',
      raw: socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\n'),
    },
    'a head without end': {
      kind: 'too_large',
      raw: socket => socket.write(`HTTP/1.1 200 OK\r\n${'x-filler: yyyyyyyyyyyyyyyyyyyy\r\n'.repeat(4000)}`),
    },
    'a gzip bomb': {
      kind: 'protocol',
      listener: (_incoming, outgoing) =>
        outgoing.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000))),
    },
    'a reset before the answer': { kind: 'reset', raw: socket => socket.resetAndDestroy() },
    'a reset within the body': {
      kind: 'reset',
      raw: socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', () => socket.resetAndDestroy()),
    },
    'an end within the body': {
      kind: 'reset',
      raw: socket => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'),
    },
    'something that is no HTTP': { kind: 'protocol', raw: socket => socket.end(`SSH-2.0-x ${secret}\r\n`) },
    'two lengths': {
      kind: 'protocol',
      raw: socket => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
    },
    'a change of protocol': {
      kind: 'reset',
      raw: socket => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    },
  }

  test.each(Object.entries(cases))('%s', async (_name, { kind, more, listener, raw }) => {
    const server = raw ? createTcpServer(socket => socket.once('data', () => raw(socket))) : createServer(listener)
    const port = await serve(server)
    const failure = await failureOf(outboundWith('127.0.0.1').send(request(`http://127.0.0.1:${port}/`, more)))
    expect(failure.kind, failure.message).toBe(kind)
    expect(failure.connected).toBe(true)
  })

  it('takes an answer of exactly the size, and none a byte longer', async () => {
    const port = await upstream((incoming, outgoing) => outgoing.end('x'.repeat(Number(incoming.url?.slice(1)))))
    const outbound = outboundWith('127.0.0.1')
    expect((await outbound.send(request(`http://127.0.0.1:${port}/1000`, { maxBytes: 1000 }))).body).toHaveLength(1000)
    const failure = await failureOf(outbound.send(request(`http://127.0.0.1:${port}/1001`, { maxBytes: 1000 })))
    expect(failure.kind).toBe('too_large')
  })

  it('a certificate nobody vouches for, even where the environment says not to mind', async () => {
    let requests = 0
    const port = await serve(createTlsServer(selfSigned, () => requests++))
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    onTestFinished(() => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    })
    for (const guard of ['tenant', 'operator'] as const) {
      const failure = await failureOf(outboundWith('localhost').send(request(`https://localhost:${port}/`, { guard })))
      expect(failure).toMatchObject({ kind: 'tls', connected: false })
    }
    expect(requests).toBe(0)
  })

  it('a port where nobody listens', async () => {
    const closed = createTcpServer()
    const free = await listen(closed)
    await new Promise(resolve => closed.close(resolve))
    const failure = await failureOf(outboundWith('127.0.0.1').send(request(`http://127.0.0.1:${free}/`)))
    expect(failure).toMatchObject({ kind: 'connect', reason: 'ECONNREFUSED', connected: false })
  })

  it('a TLS handshake that never answers ends with the connect time', async () => {
    const port = await serve(createTcpServer())
    const outbound = outboundWith('127.0.0.1', { connectTimeoutMs: 400 })
    const failure = await failureOf(outbound.send(request(`https://127.0.0.1:${port}/`)))
    expect(failure).toMatchObject({ kind: 'timeout', connected: false })
  })

  it('a name that does not exist', async () => {
    const names = await zone(() => [])
    const failure = await failureOf(
      outboundWith('', { dnsServers: [names.address] }).send(request('https://no.example.org/')),
    )
    expect(failure).toMatchObject({ kind: 'dns', connected: false })
  })

  it('a key that is no header value', async () => {
    const outbound = outboundWith('127.0.0.1')
    const port = await upstream((_incoming, outgoing) => outgoing.end())
    const failure = await failureOf(
      outbound.send(request(`http://127.0.0.1:${port}/`, { headers: { authorization: `${secret}\r\nx: y` } })),
    )
    expect(failure.kind).toBe('protocol')
  })

  it("a host header of the caller's", async () => {
    const failure = await failureOf(
      outboundWith('').send(request('https://a.example.org/', { headers: { Host: 'b' } })),
    )
    expect(failure).toMatchObject({ kind: 'blocked', reason: 'host_header' })
  })

  it('uses no proxy of the environment', async () => {
    let proxied = 0
    const proxy = await upstream((_incoming, outgoing) => {
      proxied++
      outgoing.end()
    })
    const port = await upstream((_incoming, outgoing) => outgoing.end('direct'))
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
      const before = process.env[name]
      process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy}`
      onTestFinished(() => {
        if (before === undefined) delete process.env[name]
        else process.env[name] = before
      })
    }
    const answer = await outboundWith('127.0.0.1').send(request(`http://127.0.0.1:${port}/`))
    expect([answer.body.toString(), proxied]).toEqual(['direct', 0])
  })
})
