// Tests when a connection is used again, over TLS too: never one that could answer a call with what belongs to
// another.
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { createServer as createRawTlsServer } from 'node:tls'
import { buildConnector } from 'undici'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { Exchange } from '../../src/outbound/call.ts'
import { createConnector } from '../../src/outbound/connector.ts'
import { Origin } from '../../src/outbound/origin.ts'
import { createPools } from '../../src/outbound/pools.ts'
import { selfSigned } from './fixtures.ts'
import { failureOf, listener, outboundWith, request, serve } from './outbound-stage.ts'
import { answer, bodyOf, rest, scripted } from './scripted-server.ts'

/** Connects as ever, but the second connection is handed over only when it is asked for. */
function holdingSecond() {
  const second = Promise.withResolvers<() => void>()
  let count = 0
  const build = ((options: buildConnector.BuildOptions) => {
    const connect = buildConnector(options)
    return (target: buildConnector.Options, callback: buildConnector.Callback) => {
      const isSecond = ++count === 2
      connect(target, (...outcome) => {
        if (isSecond) second.resolve(() => callback(...outcome))
        else callback(...outcome)
      })
    }
  }) as typeof buildConnector
  return { build, joinSecond: async () => (await second.promise)() }
}

describe('a connection is used again', () => {
  test.each<[name: string, connections: number, answer: (text: string) => string]>([
    ['after a length', 1, text => answer(text)],
    ['after chunks', 1, text => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n${text}\r\n0\r\n\r\n`],
    ['after an error of the service', 1, text => `HTTP/1.1 500 No\r\ncontent-length: 1\r\n\r\n${text}`],
    ['not where more came than was announced', 3, text => `${answer(text)}HTTP/1.1 200 OK\r\n`],
    ['not where another answer came unasked', 3, text => answer(text) + answer('stray')],
    ['not where the far end closes', 3, text => answer(text, 'connection: close\r\n')],
    ['not where it says so among others', 3, text => answer(text, 'Connection: x-a, Close\r\n')],
    ['not with an old far end', 3, text => `HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\n${text}`],
    ['not where its life is over at once', 3, text => answer(text, 'keep-alive: timeout=1\r\n')],
  ])('%s', async (_name, connections, say) => {
    let asked = 0
    const far = await scripted(socket => socket.write(say(String(++asked))))
    const outbound = outboundWith('127.0.0.1')
    for (const expected of ['1', '2', '3']) {
      expect(await bodyOf(outbound, far.url)).toBe(expected)
      await rest(10)
    }
    expect(far.connections()).toBe(connections)
  })

  it('not after bytes came that nobody asked for, nor after its far end left', async () => {
    const closed: Promise<unknown>[] = []
    const far = await scripted((socket, _number, connection) => {
      socket.write(answer(String(connection)))
      closed[connection] = once(socket, 'close')
      if (connection === 1) setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray'), 20)
      if (connection === 2) setTimeout(() => socket.end(), 20)
    })
    const outbound = outboundWith('127.0.0.1')
    for (const connection of [1, 2]) {
      expect(await bodyOf(outbound, far.url)).toBe(String(connection))
      await closed[connection]
    }
    for (let again = 0; again < 2; again++) expect(await bodyOf(outbound, far.url)).toBe('3')
  })

  it('not while its request is still being written', async () => {
    const far = await scripted((socket, number, connection) => {
      if (number === 1) socket.write(answer(String(connection)))
      if (connection === 1) socket.pause()
    })
    const outbound = outboundWith('127.0.0.1')
    expect(await bodyOf(outbound, far.url, { body: Buffer.alloc(16 << 20) })).toBe('1')
    expect(await bodyOf(outbound, far.url)).toBe('2')
  })

  it('not where an answer was there before its request had left', async () => {
    let stray: () => void = () => undefined
    const far = await scripted((socket, _number, connection) => {
      socket.write(answer(String(connection)))
      stray = () => void socket.write(answer('stray'))
    })
    const outbound = outboundWith('127.0.0.1')
    expect(await bodyOf(outbound, far.url)).toBe('1')
    // Both in one turn, at whose end requests leave.
    const second = Promise.withResolvers<string>()
    setTimeout(() => {
      stray()
      bodyOf(outbound, far.url).then(second.resolve, second.reject)
    })
    expect(await second.promise).toBe('stray')
    expect(await bodyOf(outbound, far.url)).toBe('2')
  })

  it('a reset of a used one before any byte is a connection that failed; after one it is not', async () => {
    for (const [bytes, connected] of [
      ['', false],
      ['HTTP/1.1 103 Early\r\n\r\n', true],
      ['H', true],
    ] as const) {
      const far = await scripted((socket, number) => {
        if (number === 1) socket.write(answer('1'))
        else if (bytes === '') socket.resetAndDestroy()
        else socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 500))
      })
      const outbound = outboundWith('127.0.0.1')
      await bodyOf(outbound, far.url)
      await rest()
      expect(await failureOf(outbound.send(request(far.url)))).toMatchObject({ kind: 'reset', connected })
    }
  })

  it('a reset of a used one is none of a connection that failed where its far end had time to work', async () => {
    let resetAfterMs = 2_600
    const far = await scripted((socket, number) => {
      if (number === 1) socket.write(answer('1'))
      else setTimeout(() => socket.resetAndDestroy(), resetAfterMs)
    })
    const outbound = outboundWith('127.0.0.1')
    for (const connected of [true, false]) {
      await bodyOf(outbound, far.url)
      await rest()
      expect(await failureOf(outbound.send(request(far.url)))).toMatchObject({ kind: 'reset', connected })
      resetAfterMs = 100
    }
  })

  it('a reset that a process hears late, because it was held up, came no later for that', async () => {
    const far = await scripted((socket, number) => {
      if (number === 1) socket.write(answer('1'))
      else {
        socket.resetAndDestroy()
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_600)
      }
    })
    const outbound = outboundWith('127.0.0.1')
    await bodyOf(outbound, far.url)
    await rest()
    expect(await failureOf(outbound.send(request(far.url)))).toMatchObject({ kind: 'reset', connected: false })
  })

  it('one that its far end has closed takes those along that are still free', async () => {
    const first: (() => void)[] = []
    const far = await scripted((socket, number, connection) => {
      if (number > 1) socket.resetAndDestroy()
      else if (connection > 6) socket.write(answer(String(connection)))
      else first.push(() => socket.write(answer(String(connection))))
    })
    const outbound = outboundWith('127.0.0.1')
    const answers = Array.from({ length: 6 }, () => bodyOf(outbound, far.url))
    await expect.poll(() => first.length).toBe(6)
    for (const say of first) say()
    await Promise.all(answers)
    // Two at once: each meets a closed one, and neither leaves one for the other.
    const both = [1, 2].map(async () => {
      expect(await failureOf(outbound.send(request(far.url)))).toMatchObject({ kind: 'reset', connected: false })
      return bodyOf(outbound, far.url)
    })
    expect((await Promise.all(both)).map(Number).every(connection => connection > 6)).toBe(true)
  })

  it('a reset of one that waited without ever being used is a connection that failed too', async () => {
    const far = await scripted((socket, _number, connection) => {
      if (connection === 2) socket.resetAndDestroy()
      else socket.write(answer(String(connection)))
    })
    const { build, joinSecond } = holdingSecond()
    const outbound = outboundWith('127.0.0.1', { buildConnector: build })
    // The first connection is free for the second call before that call's own one stands.
    expect(await Promise.all([1, 2].map(() => bodyOf(outbound, far.url)))).toEqual(['1', '1'])
    await joinSecond()
    expect(await failureOf(outbound.send(request(far.url)))).toMatchObject({ kind: 'reset', connected: false })
    expect(await bodyOf(outbound, far.url)).toBe('3')
  })

  it('one that was never used is left sooner than one that was', async () => {
    let open = 0
    const port = await serve(
      createTcpServer(socket => {
        open++
        socket.on('data', () => socket.write(answer('1'))).on('close', () => open--)
      }),
    )
    const { build, joinSecond } = holdingSecond()
    const url = new URL(`http://127.0.0.1:${port}/`)
    const ways = { mayReach: () => true, resolve: async () => [], timeoutMs: 5_000, onBlocked: () => undefined, build }
    const origin = new Origin({ url, maxConnections: null, connect: createConnector(ways) })
    onTestFinished(() => origin.destroy())
    const message = { method: 'GET', head: 'GET / HTTP/1.1\r\n\r\n', body: null, headMs: 0, bodyMs: 0 }
    const both = [listener(), listener()]
    for (const { receiver } of both) origin.begin(new Exchange(message, receiver, { warn: () => undefined }))
    await Promise.all(both.map(({ over }) => over))
    await joinSecond()
    for (const [afterMs, expected] of [
      [9_000, 2],
      [11_000, 1],
      [21_000, 0],
    ] as const) {
      origin.watch(performance.now() + afterMs)
      await rest()
      await expect.poll(() => open).toBe(expected)
    }
  })

  it('an origin is forgotten once it holds nothing, and not before', async () => {
    const far = await scripted((socket, _number, connection) => {
      socket.write(answer(String(connection)))
      if (connection === 2) setTimeout(() => socket.end(), 20)
    })
    const ways = { mayReach: () => true, resolve: async () => [], timeoutMs: 5_000, onBlocked: () => undefined }
    const made = { stays: 0, leaves: 0 }
    const pools = createPools(9)
    onTestFinished(() => pools.close())
    const get = (key: keyof typeof made) =>
      pools.get(key, () => {
        made[key]++
        return new Origin({ url: new URL(far.url), maxConnections: null, connect: createConnector(ways) })
      })
    const message = { method: 'GET', head: 'GET / HTTP/1.1\r\n\r\n', body: null, headMs: 0, bodyMs: 0 }
    for (const key of ['stays', 'leaves'] as const) {
      const { receiver, over } = listener()
      get(key).begin(new Exchange(message, receiver, { warn: () => undefined }))
      await over
    }
    await expect.poll(() => get('leaves') && made.leaves, { interval: 400 }).toBeGreaterThan(1)
    get('stays')
    expect(made.stays).toBe(1)
  })

  it('whoever speaks before it was asked is not listened to', async () => {
    const port = await serve(createTcpServer(socket => socket.write(answer('unasked'))))
    const { heard, receiver, over } = listener()
    outboundWith('127.0.0.1').open(request(`http://127.0.0.1:${port}/`), receiver)
    await over
    // Either its bytes came before the request was written, or they are the answer to it: never both.
    expect([['reset'], ['200', 'unasked', 'end']]).toContainEqual(heard)
  })
})

/** Takes the test's own certificate, and changes nothing else. */
const trusting = ((options: buildConnector.BuildOptions) =>
  buildConnector({ ...options, ca: selfSigned.cert })) as typeof buildConnector

it('speaks TLS with whom it trusts, again and again over one connection', async () => {
  let connections = 0
  const server = createTlsServer(
    selfSigned,
    (incoming, outgoing) => void incoming.on('end', () => outgoing.end('x'.repeat(200_000))).resume(),
  )
  server.on('secureConnection', () => connections++)
  const port = await serve(server)
  const outbound = outboundWith('localhost', { buildConnector: trusting })
  for (let turn = 0; turn < 3; turn++) {
    const body = await bodyOf(outbound, `https://localhost:${port}/`, {
      maxBytes: 1 << 20,
      body: Buffer.alloc(100_000),
    })
    expect(body).toHaveLength(200_000)
  }
  expect(connections).toBe(1)
})

test.each([
  ['a length', 'content-length: 60000\r\n'],
  ['the end of the connection', ''],
])('over TLS, held while the far end leaves, loses nothing: %s', async (_name, framing) => {
  const bytes = Buffer.from(`HTTP/1.1 200 OK\r\n${framing}\r\n${'x'.repeat(60_000)}`)
  const port = await serve(createRawTlsServer(selfSigned, socket => socket.once('data', () => socket.end(bytes))))
  let size = 0
  const { receiver, heard, over } = listener({
    onResponse(status) {
      heard.push(String(status))
      call.pause()
    },
    onData(data) {
      size += data.length
    },
  })
  const call = outboundWith('localhost', { buildConnector: trusting }).open(
    request(`https://localhost:${port}/`),
    receiver,
  )
  await expect.poll(() => heard).toEqual(['200'])
  await rest(150)
  expect([heard, size]).toEqual([['200'], 0])
  call.resume()
  await over
  expect([heard, size]).toEqual([['200', 'end'], 60_000])
})

it('over TLS, a connection whose far end left while its answer was held serves nobody else', async () => {
  let connections = 0
  const server = createRawTlsServer(selfSigned, socket => {
    const body = String(++connections)
    socket.once('data', () => (body === '1' ? socket.end(answer(body)) : socket.write(answer(body))))
  })
  const url = new URL(`https://localhost:${await serve(server)}/`)
  const ways = {
    mayReach: () => true,
    resolve: async () => ['127.0.0.1'],
    timeoutMs: 5_000,
    onBlocked: () => undefined,
  }
  const origin = new Origin({ url, maxConnections: 1, connect: createConnector({ ...ways, build: trusting }) })
  onTestFinished(() => origin.destroy())
  const message = { method: 'GET', head: 'GET / HTTP/1.1\r\n\r\n', body: null, headMs: 0, bodyMs: 0 }
  const begin = ({ receiver }: ReturnType<typeof listener>) => {
    const exchange = new Exchange(message, receiver, { warn: () => undefined })
    origin.begin(exchange)
    return exchange
  }
  const held = Promise.withResolvers<void>()
  const one = listener({
    onResponse: () => {
      first.pause()
      held.resolve()
    },
  })
  const other = listener()
  const first = begin(one)
  begin(other)
  await held.promise
  await rest(300)
  first.resume()
  await Promise.all([one.over, other.over])
  expect([one.heard, other.heard]).toEqual([
    ['1', 'end'],
    ['200', '2', 'end'],
  ])
})
