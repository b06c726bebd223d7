// The connections behind the outbound client: when one is used again, what breaks it, how calls wait, are held, time
// out and end, and that a receiver's own fault is never lost.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createRawTlsServer } from 'node:tls'
import { buildConnector } from 'undici'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { Exchange, type Receiver } from '../../src/outbound/call.ts'
import { createConnector } from '../../src/outbound/connector.ts'
import { makeHeaderBlock } from '../../src/outbound/head-writer.ts'
import { Origin } from '../../src/outbound/origin.ts'
import type { Outbound } from '../../src/outbound/outbound.ts'
import { createPools } from '../../src/outbound/pools.ts'
import { selfSigned } from './fixtures.ts'
import { failureOf, listener, logged, outboundWith, request, serve, upstream } from './outbound-stage.ts'

const answer = (body: string, more = '') => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${more}\r\n${body}`

/** Answers the requests of each connection by number; tells how many connections there were. */
async function scripted(script: (socket: Socket, number: number, connection: number) => void) {
  let connections = 0
  const port = await serve(
    createTcpServer(socket => {
      const connection = ++connections
      let number = 0
      socket.on('data', () => script(socket, ++number, connection))
    }),
  )
  return { url: `http://127.0.0.1:${port}/`, connections: () => connections }
}

const rest = (ms = 30) => new Promise(done => setTimeout(done, ms))

async function bodyOf(outbound: Outbound, url: string, more = {}): Promise<string> {
  return (await outbound.send(request(url, more))).body.toString()
}

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
        else socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 50))
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

describe('calls', () => {
  it('wait where all connections of a tenant are busy, in order; one that ends while it waits is never sent', async () => {
    let open = 0
    let most = 0
    const paths: string[] = []
    const waiting: (() => void)[] = []
    const port = await upstream((incoming: IncomingMessage, outgoing) => {
      paths.push(incoming.url ?? '')
      most = Math.max(most, ++open)
      const end = () => {
        open--
        outgoing.end('ok')
      }
      if (waiting.length < 128 && paths.length <= 128) waiting.push(end)
      else end()
    })
    const outbound = outboundWith('127.0.0.1')
    const url = `http://127.0.0.1:${port}`
    const first = Array.from({ length: 128 }, (_, at) => outbound.send(request(`${url}/${at}`)))
    await expect.poll(() => paths.length).toBe(128)
    const { receiver, heard } = listener()
    const call = outbound.open(request(`${url}/never`), receiver)
    const later = Array.from({ length: 20 }, (_, at) => outbound.send(request(`${url}/later-${at}`)))
    call.abort()
    expect(heard).toEqual(['aborted'])
    await rest(200)
    expect(paths).toHaveLength(128)
    for (const end of waiting) end()
    await Promise.all([...first, ...later])
    expect(most).toBe(128)
    expect(paths).toHaveLength(148)
    expect(paths).not.toContain('/never')
  })

  it('that wait fail one by one where no connection comes about', async () => {
    const outbound = outboundWith('slow.example.org', { resolve: async () => [] })
    const kinds = Array.from(
      { length: 5 },
      async () => await failureOf(outbound.send(request('http://slow.example.org/'))),
    )
    expect((await Promise.all(kinds)).map(({ kind }) => kind)).toEqual(Array(5).fill('dns'))
  })

  it('are held at once, within one reading too, and go on where they stopped', async () => {
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    const far = await scripted(socket =>
      socket.write(`${head}${chunk('one')}${chunk('two')}${chunk('three')}0\r\n\r\n`),
    )
    const outbound = outboundWith('127.0.0.1')
    const { receiver, heard, over } = listener({
      onResponse(status) {
        heard.push(String(status))
        call.pause()
      },
      onData(data) {
        heard.push(data.toString())
        call.pause()
      },
    })
    const call = outbound.open(request(far.url), receiver)
    // The chunks of a reading come together.
    for (const expected of [['200'], ['200', 'onetwothree']]) {
      await expect.poll(() => heard).toEqual(expected)
      await rest()
      expect(heard).toEqual(expected)
      call.resume()
    }
    await over
    expect(heard.at(-1)).toBe('end')
    // It was held when its answer ended, and is as good as any.
    expect(await bodyOf(outbound, far.url)).toBe('onetwothree')
    expect(far.connections()).toBe(1)
  })

  it('held in the middle of a reading keep its rest while others are read', async () => {
    const far = await scripted((socket, _number, connection) =>
      socket.write(
        `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${`3\r\n${connection}${connection}${connection}\r\n`.repeat(9)}0\r\n\r\n`,
      ),
    )
    const outbound = outboundWith('127.0.0.1')
    const { receiver, heard, over } = listener({
      onResponse(status) {
        heard.push(String(status))
        call.pause()
      },
    })
    const call = outbound.open(request(far.url), receiver)
    await expect.poll(() => heard).toEqual(['200'])
    expect(await bodyOf(outbound, far.url)).toBe('222'.repeat(9))
    call.resume()
    await over
    expect(heard).toEqual(['200', '111'.repeat(9), 'end'])
  })

  test.each([
    ['a length', 'content-length: 3\r\n', 'end'],
    ['the end of the connection', '', 'end'],
    ['more than comes', 'content-length: 9\r\n', 'reset'],
  ])('held while the far end leaves, lose nothing: %s', async (_name, framing, last) => {
    const far = await scripted(socket => socket.end(`HTTP/1.1 200 OK\r\n${framing}\r\nall`))
    const { receiver, heard, over } = listener({
      onResponse(status) {
        heard.push(String(status))
        call.pause()
      },
    })
    const call = outboundWith('127.0.0.1').open(request(far.url), receiver)
    await expect.poll(() => heard).toEqual(['200'])
    await rest(60)
    expect(heard).toEqual(['200'])
    call.resume()
    await over
    expect(heard).toEqual(['200', 'all', last])
  })

  it('paused before their connection stands, and resumed within a reading', async () => {
    const far = await scripted(socket => socket.write(answer('hello')))
    const { receiver, heard, over } = listener({
      onData(data) {
        heard.push(data.toString())
        call.pause()
        call.resume()
      },
    })
    const call = outboundWith('127.0.0.1').open(request(far.url), receiver)
    call.pause()
    await rest(100)
    expect(heard).toEqual([])
    call.resume()
    await over
    expect(heard).toEqual(['200', 'hello', 'end'])
  })

  it('run out of time before the head, and between two pieces, but not while they are held', async () => {
    const silent = await scripted(() => undefined)
    const half = await scripted(socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel'))
    const outbound = outboundWith('127.0.0.1')
    const times = { headersTimeoutMs: 300, bodyTimeoutMs: 300 }
    for (const { url } of [silent, half]) {
      const { receiver, failures, over } = listener()
      outbound.open({ ...request(url), ...times }, receiver)
      await over
      expect(failures[0]).toMatchObject({ kind: 'timeout', connected: true })
    }
    const { receiver, heard, over } = listener({ onData: () => call.pause() })
    const call = outbound.open({ ...request(half.url), ...times }, receiver)
    await rest(1_000)
    expect(heard).toEqual(['200'])
    call.resume()
    await over
    expect(heard).toEqual(['200', 'timeout'])
  })

  it('a free connection is left once it is old', async () => {
    let open = 0
    const port = await serve(
      createTcpServer(socket => {
        open++
        socket.on('data', () => socket.write(answer('1', 'keep-alive: timeout=3\r\n'))).on('close', () => open--)
      }),
    )
    await bodyOf(outboundWith('127.0.0.1'), `http://127.0.0.1:${port}/`)
    expect(open).toBe(1)
    await expect.poll(() => open).toBe(0)
  })
})

describe('what is sent', () => {
  const echo = () =>
    upstream((incoming, outgoing) => {
      const pieces: Buffer[] = []
      incoming.on('data', piece => pieces.push(piece))
      incoming.on('end', () => {
        const { method, url, rawHeaders } = incoming
        outgoing.end(JSON.stringify({ method, url, rawHeaders, body: Buffer.concat(pieces).length }))
      })
    })

  it("the head: ours first, the caller's as they are, and none of ours in the caller's words", async () => {
    const port = await echo()
    const given = {
      'X-A': ' b\t',
      'transfer-encoding': 'chunked',
      'Content-Length': '3',
      te: 'x',
      'accept-encoding': 'gzip',
    }
    const block = makeHeaderBlock({ 'x-block': 'c', connection: 'close' })
    const text = await bodyOf(outboundWith('127.0.0.1'), `http://127.0.0.1:${port}/a?b=c`, { headers: given, block })
    const { rawHeaders, ...seen } = JSON.parse(text) as { rawHeaders: string[] }
    expect(seen).toEqual({ method: 'POST', url: '/a?b=c', body: 26 })
    const lines = ['host', `127.0.0.1:${port}`, 'connection', 'keep-alive', 'accept-encoding', 'identity']
    expect(rawHeaders).toEqual([...lines, 'X-A', 'b', 'x-block', 'c', 'content-length', '26'])
  })

  test.each([
    ['GET', null, 0, undefined],
    ['DELETE', null, 0, undefined],
    ['POST', null, 0, '0'],
    ['POST', '', 0, '0'],
    ['POST', 'héllo', 6, '6'],
    ['PUT', Buffer.alloc(16_385, 'x'), 16_385, '16385'],
    ['POST', Buffer.alloc(3 << 20, 0xe9), 3 << 20, String(3 << 20)],
  ])('%s with a body of its length', async (method, body, length, announced) => {
    const port = await echo()
    const text = await bodyOf(outboundWith('127.0.0.1'), `http://127.0.0.1:${port}/`, { method, body })
    const { rawHeaders, ...seen } = JSON.parse(text) as { rawHeaders: string[] }
    expect(seen).toEqual({ method, url: '/', body: length })
    const at = rawHeaders.indexOf('content-length')
    expect(at < 0 ? undefined : rawHeaders[at + 1]).toBe(announced)
  })

  test.each([
    ['a line end in a value', { 'x-a': 'b\r\nx-c: d' }],
    ['a line feed in a value', { 'x-a': 'b\nx-c: d' }],
    ['a zero byte in a value', { 'x-a': 'b\0' }],
    ['a character beyond the bytes', { 'x-a': 'ł' }],
    ['a line end in a name', { 'x-a\r\nx-c': 'b' }],
    ['a blank in a name', { 'x a': 'b' }],
    ['no name', { '': 'b' }],
  ])('never with %s', async (_name, headers) => {
    let bytes = 0
    const port = await serve(createTcpServer(socket => socket.on('data', chunk => (bytes += chunk.length))))
    const outbound = outboundWith('127.0.0.1')
    const failure = await failureOf(outbound.send(request(`http://127.0.0.1:${port}/`, { headers })))
    expect(failure).toMatchObject({ kind: 'protocol', connected: false })
    expect(() => makeHeaderBlock(headers as Record<string, string>)).toThrow(failure)
    await rest()
    expect(bytes).toBe(0)
  })
})

describe('a receiver that throws', () => {
  const fault = () => {
    throw new TypeError('our own fault')
  }

  test.each([
    ['at the head', { onResponse: fault }, ['protocol']],
    ['at a piece', { onData: fault }, ['200', 'protocol']],
    ['at the end', { onEnd: fault }, ['200', '1', 'protocol']],
    ['at its failure', { onFailure: fault }, []],
  ] satisfies [string, Partial<Receiver>, string[]][])(
    '%s hears of it once, and so does the log',
    async (_name, more, expected) => {
      const isFailing = 'onFailure' in more
      const far = await scripted(socket => (isFailing ? socket.resetAndDestroy() : socket.write(answer('1'))))
      const { receiver, heard } = listener(more)
      const outbound = outboundWith('127.0.0.1')
      outbound.open(request(far.url), receiver)
      await expect.poll(() => logged.length).toBe(1)
      expect(logged[0]).toContain('receiver of a response failed')
      expect(heard).toEqual(expected)
      await rest()
      expect(logged).toHaveLength(1)
    },
  )
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
