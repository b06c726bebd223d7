// The outbound client against real sockets: what the operator allows, hostile upstreams, ends and streams.
import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Receiver } from '../../src/outbound/call.ts'
import type { OutboundFailure } from '../../src/outbound/failure.ts'
import { failureOf, logged, outboundWith, request, secret, serve, upstream, zone } from './outbound-stage.ts'

describe('what the operator allows', () => {
  const hello: RequestListener = (incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/plain' }).end(`${incoming.method} ${incoming.url}`)
  }

  it('a listed host answers over plain http on a private port, found as the system finds it', async () => {
    const port = await upstream(hello)
    const answer = await outboundWith('localhost').send(request(`http://localhost:${port}/v1?limit=5`))
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/plain')
    expect(answer.body.toString()).toBe('POST /v1?limit=5')
  })

  it('a network lifts the rules for literals in it, and for where names lead', async () => {
    const port = await upstream(hello)
    const names = await zone(() => ['127.0.0.1'])
    const outbound = outboundWith('127.0.0.0/8', { dnsServers: [names.address] })
    expect((await outbound.send(request(`http://127.0.0.1:${port}/`))).status).toBe(200)
    expect((await outbound.check('https://models.example.org/v1')).host).toBe('models.example.org')
    expect((await failureOf(outbound.check('http://models.example.org/v1'))).reason).toBe('scheme')
  })

  it('host:port lifts them for that port alone', async () => {
    const port = await upstream(hello)
    const outbound = outboundWith(`127.0.0.1:${port}`)
    expect((await outbound.send(request(`http://127.0.0.1:${port}/`))).status).toBe(200)
    expect((await failureOf(outbound.send(request(`http://127.0.0.1:${port + 1}/`)))).kind).toBe('blocked')
  })

  it("the operator's own addresses need no listing, but a scheme and no user info", async () => {
    const port = await upstream(hello)
    const outbound = outboundWith('')
    const operator = (url: string) => outbound.send(request(url, { guard: 'operator' }))
    expect((await operator(`http://127.0.0.1:${port}/keys?x=1`)).body.toString()).toBe('POST /keys?x=1')
    expect((await operator(`http://localhost:${port}/`)).status).toBe(200)
    expect((await failureOf(operator('file:///etc/passwd'))).reason).toBe('scheme')
    expect((await failureOf(operator(`http://u:${secret}@127.0.0.1:${port}/`))).reason).toBe('user_info')
    // The same origin under the tenant's guard does not ride on the operator's connection.
    expect((await failureOf(outbound.send(request(`http://127.0.0.1:${port}/`)))).kind).toBe('blocked')
  })

  it('keeps and reuses its connection after a refusal', async () => {
    const ports = new Set<number | undefined>()
    const port = await upstream((incoming, outgoing) => {
      ports.add(incoming.socket.remotePort)
      outgoing.end('ok')
    })
    const outbound = outboundWith('localhost')
    await outbound.send(request(`http://localhost:${port}/`))
    await failureOf(outbound.send(request(`http://127.0.0.1:${port}/`)))
    await failureOf(outbound.send(request('https://127.0.0.1/')))
    // A connection is free again one turn of the loop after its answer ended.
    await new Promise(resolve => setTimeout(resolve, 20))
    await outbound.send(request(`http://localhost:${port}/`))
    expect(ports.size).toBe(1)
    await new Promise(resolve => setTimeout(resolve, 20))
    await outbound.send(request(`http://localhost:${port}/`, { tenantId: 'another' }))
    expect(ports.size).toBe(2)
  })

  it('keeps the connections of many tenants', async () => {
    const tenants = Array.from({ length: 300 }, (_, at) => `tenant-${at}`)
    let connections = 0
    // A busy machine may take longer for one round than the server's usual five seconds.
    const server = createServer({ keepAliveTimeout: 600_000 }, (_incoming, outgoing) => outgoing.end('ok'))
    const port = await serve(server.on('connection', () => connections++))
    const outbound = outboundWith('127.0.0.1')
    for (const _ of [1, 2]) {
      for (const tenantId of tenants) await outbound.send(request(`http://127.0.0.1:${port}/`, { tenantId }))
    }
    expect(connections).toBe(tenants.length)
  })

  it('closes those that have waited longest where too many wait, and none that works', async () => {
    const outbound = outboundWith('127.0.0.1', { maxFreeConnections: 2 })
    const open = new Set<number>()
    let answerLast: () => void = () => undefined
    const port = await upstream(({ url, socket }, outgoing) => {
      const number = Number(url?.slice(1))
      open.add(number)
      socket.once('close', () => open.delete(number))
      if (number === 0) answerLast = () => outgoing.end('ok')
      else outgoing.end('ok')
    })
    const send = (number: number) =>
      outbound.send(request(`http://127.0.0.1:${port}/${number}`, { tenantId: `tenant-${number}` }))
    const working = send(0)
    await expect.poll(() => open.size).toBe(1)
    for (const number of [1, 2, 3, 4]) await send(number)
    await expect.poll(() => [...open]).toEqual([0, 3, 4])
    answerLast()
    await working
    await expect.poll(() => [...open]).toEqual([0, 4])
  })
})

describe('ends', () => {
  const silent = () => serve(createTcpServer())

  it("the caller's signal ends the exchange, before and after it began", async () => {
    const port = await silent()
    const outbound = outboundWith('127.0.0.1')
    const target = `http://127.0.0.1:${port}/`
    expect((await failureOf(outbound.send(request(target, { signal: AbortSignal.abort() })))).kind).toBe('aborted')
    const failure = await failureOf(outbound.send(request(target, { signal: AbortSignal.timeout(100) })))
    expect(failure.kind).toBe('aborted')
  })

  it('close ends what is under way', async () => {
    const port = await silent()
    const outbound = outboundWith('127.0.0.1')
    const pending = failureOf(outbound.send(request(`http://127.0.0.1:${port}/`)))
    await outbound.close()
    expect((await pending).kind).toBe('aborted')
  })

  it('an aborted call that waited for its connection sends nothing', async () => {
    let bytes = 0
    const port = await serve(createTcpServer(socket => socket.on('data', chunk => (bytes += chunk.length))))
    const answer = Promise.withResolvers<string[]>()
    const resolve = () => answer.promise
    const outbound = outboundWith('slow.example.org', { resolve })
    const failures: OutboundFailure[] = []
    const call = outbound.open(request(`http://slow.example.org:${port}/`), {
      ...receiver(),
      onFailure: f => failures.push(f),
    })
    await new Promise(done => setTimeout(done, 50))
    call.abort()
    expect(failures.map(({ kind }) => kind)).toEqual(['aborted'])
    answer.resolve(['127.0.0.1'])
    await new Promise(done => setTimeout(done, 200))
    expect(bytes).toBe(0)
    expect(failures).toHaveLength(1)
  })
})

const receiver = (): Receiver => ({
  onResponse: () => undefined,
  onData: () => undefined,
  onEnd: () => undefined,
  onFailure: () => undefined,
})

describe('streams', () => {
  it('hands the answer over piece by piece, and holds it back on request', async () => {
    const sizes = 200
    const port = await upstream(async (_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let i = 0; i < sizes; i++) {
        if (!outgoing.write(Buffer.alloc(65_536))) await new Promise(done => outgoing.once('drain', done))
      }
      outgoing.end()
    })
    let bytes = 0
    let status = 0
    const done = Promise.withResolvers<void>()
    const call = outboundWith('127.0.0.1').open(request(`http://127.0.0.1:${port}/`), {
      onResponse: code => {
        status = code
      },
      onData: chunk => {
        const first = bytes === 0
        bytes += chunk.length
        if (first) call.pause()
      },
      onEnd: () => done.resolve(),
      onFailure: done.reject,
    })
    await expect.poll(() => bytes).toBeGreaterThan(0)
    const held = bytes
    await new Promise(resolve => setTimeout(resolve, 200))
    expect(bytes).toBe(held)
    call.resume()
    await done.promise
    expect([status, bytes]).toEqual([200, sizes * 65_536])
  })

  it('passes over interim answers', async () => {
    const port = await upstream((_incoming, outgoing) =>
      outgoing.writeEarlyHints({ link: '</a>; rel=preload' }, () => outgoing.end('x')),
    )
    const statuses: number[] = []
    const done = Promise.withResolvers<void>()
    outboundWith('127.0.0.1').open(request(`http://127.0.0.1:${port}/`), {
      ...receiver(),
      onResponse: status => statuses.push(status),
      onEnd: done.resolve,
      onFailure: done.reject,
    })
    await done.promise
    expect(statuses).toEqual([200])
  })

  it('closes the connection upstream when the call is aborted in the middle', async () => {
    const closed = Promise.withResolvers<void>()
    const port = await upstream((_incoming, outgoing) => {
      outgoing.writeHead(200).write('data: 1\n\n')
      outgoing.on('close', () => closed.resolve())
    })
    const started = Promise.withResolvers<void>()
    const failed = Promise.withResolvers<OutboundFailure>()
    const call = outboundWith('127.0.0.1').open(request(`http://127.0.0.1:${port}/`), {
      ...receiver(),
      onData: () => started.resolve(),
      onFailure: failed.resolve,
    })
    await started.promise
    call.abort()
    expect((await failed.promise).kind).toBe('aborted')
    await closed.promise
  })

  it('tells the receiver of a refusal as of any other failure', async () => {
    const failed = Promise.withResolvers<OutboundFailure>()
    outboundWith('').open(request('https://10.0.0.1/', { tenantId: 'mine' }), {
      ...receiver(),
      onFailure: failed.resolve,
    })
    expect((await failed.promise).kind).toBe('blocked')
    expect(logged.join()).toContain('{"reason":"address","tenant_id":"mine"}')
  })

  it('keeps the error of a receiver that throws', async () => {
    const port = await upstream((_incoming, outgoing) => outgoing.end('x'))
    const failed = Promise.withResolvers<OutboundFailure>()
    outboundWith('127.0.0.1').open(request(`http://127.0.0.1:${port}/`), {
      ...receiver(),
      onData: () => {
        throw new TypeError('our own fault')
      },
      onFailure: failed.resolve,
    })
    expect((await failed.promise).cause).toMatchObject({ message: 'our own fault' })
  })

  it('serves others between the pieces of a long answer', async () => {
    const size = 4_000_000
    const port = await upstream((_incoming, outgoing) => outgoing.end('x'.repeat(size)))
    const over = Promise.withResolvers<void>()
    let [inTurn, most, total] = [0, 0, 0]
    const turn = () => {
      inTurn = 0
      if (total < size) setImmediate(turn)
    }
    turn()
    outboundWith('127.0.0.1').open(request(`http://127.0.0.1:${port}/`), {
      ...receiver(),
      onData: ({ length }) => {
        total += length
        inTurn += length
        most = Math.max(most, inTurn)
      },
      onEnd: over.resolve,
    })
    await over.promise
    expect(total).toBe(size)
    expect(most).toBeLessThanOrEqual(2 * 64 * 1024)
  })
})
