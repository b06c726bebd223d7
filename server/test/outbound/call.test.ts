// Tests calls on their way: waiting for a connection, held, paused and out of time; and what is written of them.
import type { IncomingMessage } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, it, test } from 'vitest'
import type { Receiver } from '../../src/outbound/call.ts'
import { makeHeaderBlock } from '../../src/outbound/head-writer.ts'
import { failureOf, listener, logged, outboundWith, request, serve, upstream } from './outbound-stage.ts'
import { answer, bodyOf, rest, scripted } from './scripted-server.ts'

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

  it('that are held and go on at once are read in as many turns of the event loop as others', async () => {
    const whole = 8 * 1024 * 1024
    const port = await upstream((_incoming, outgoing) => outgoing.end(Buffer.alloc(whole)))
    let readInTurn = 0
    let most = 0
    let isOver = false
    const turn = () => {
      most = Math.max(most, readInTurn)
      readInTurn = 0
      if (!isOver) setImmediate(turn)
    }
    const { receiver, over } = listener({
      onData(data) {
        readInTurn += data.length
        call.pause()
        process.nextTick(() => call.resume())
      },
    })
    const call = outboundWith('127.0.0.1').open(request(`http://127.0.0.1:${port}/`, { maxBytes: whole }), receiver)
    setImmediate(turn)
    await over
    isOver = true
    expect(most).toBeLessThan(256 * 1024)
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
