// Tests upstreams that fail in every possible way: the client gets one correct error each time, in time, and no
// truncated stream looks complete.
import { connect, type Socket } from 'node:net'
import { describe, expect, inject, it } from 'vitest'
import { sendRaw } from '../../http/raw-request.ts'
import { listen } from '../../outbound/fixtures.ts'
import { roomFor } from '../../support/slowness.ts'
import {
  delta,
  openStream,
  promptEstimate,
  requestText,
  runForwarder,
  startRawUpstream,
  startUpstream,
  until,
} from './forward-stage.ts'
import { parseEvents } from './sse-parser.ts'

const ok = 'HTTP/1.1 200 OK\r\n'
const json = `${ok}content-type: application/json\r\n`
const events = `${ok}content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

type Script = (socket: import('node:net').Socket) => void

const unavailable = 'provider_unavailable'
const timeout = 'provider_timeout'

const beforeFirstByte: [name: string, code: string, script: Script][] = [
  ['closes without a word', unavailable, socket => socket.end()],
  ['resets', unavailable, socket => socket.resetAndDestroy()],
  ['resets in the middle of the head', unavailable, socket => socket.write(ok, () => socket.resetAndDestroy())],
  ['resets after the head', unavailable, socket => socket.write(events, () => socket.resetAndDestroy())],
  ['closes after the head', unavailable, socket => socket.end(events)],
  ['ends a stream without an event', unavailable, socket => socket.end(`${events}0\r\n\r\n`)],
  [
    'resets in the middle of the first event',
    unavailable,
    socket => socket.write(`${events}${chunk('data: {"cho')}`, () => socket.resetAndDestroy()),
  ],
  [
    'resets in the middle of a JSON body',
    unavailable,
    socket => socket.end(`${json}content-length: 100\r\n\r\n{"id":`),
  ],
  [
    'ends a chunked JSON body early',
    unavailable,
    socket => socket.end(`${json}transfer-encoding: chunked\r\n\r\n${chunk('{}')}`),
  ],
  ['speaks no HTTP', unavailable, socket => socket.end('SSH-2.0-OpenSSH_9.9\r\n\r\n')],
  [
    'answers with a page',
    unavailable,
    socket => socket.end(`${ok}content-type: text/html\r\ncontent-length: 6\r\n\r\n<html>`),
  ],
  [
    'answers a 502 with a page',
    unavailable,
    socket => socket.end('HTTP/1.1 502 Bad\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>'),
  ],
  ['answers words without a type', unavailable, socket => socket.end(`${ok}content-length: 2\r\n\r\nhi`)],
  ['answers with an empty body', unavailable, socket => socket.end(`${json}content-length: 0\r\n\r\n`)],
  ['answers with broken JSON', unavailable, socket => socket.end(`${json}content-length: 2\r\n\r\n{"`)],
  [
    'answers in bytes that are no UTF-8',
    unavailable,
    socket => socket.end(Buffer.from(`${json}content-length: 4\r\n\r\n{"\xff}`, 'latin1')),
  ],
  [
    'answers compressed',
    unavailable,
    socket => socket.end(`${json}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}`),
  ],
  [
    'redirects',
    unavailable,
    socket => socket.end('HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
  ],
  [
    'refuses the hop',
    unavailable,
    socket => socket.end('HTTP/1.1 401 No\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}'),
  ],
  ['sends a head without end', unavailable, socket => void endlessly(socket, ok, 'x-a: b\r\n'.repeat(200))],
  ['never answers', timeout, () => undefined],
  ['sends interim answers without end', timeout, socket => void endlessly(socket, '', 'HTTP/1.1 102 Wait\r\n\r\n', 20)],
  ['stalls after the head', timeout, socket => socket.write(events)],
  ['stalls in the middle of the first event', timeout, socket => socket.write(`${events}${chunk('data: {"a"')}`)],
  ['stalls in the middle of a JSON body', timeout, socket => socket.write(`${json}content-length: 100\r\n\r\n{"id":`)],
]

function endlessly(socket: import('node:net').Socket, first: string, text: string, everyMs = 1) {
  socket.write(first)
  const timer = setInterval(() => socket.writable && socket.write(text), everyMs)
  socket.once('close', () => clearInterval(timer))
}

describe('before the first byte has gone to the client, an upstream that', () => {
  it.each(beforeFirstByte)('%s means 502 %s', async (_name, code, script) => {
    const upstream = await startRawUpstream(script)
    // Other cases get a long timeout, so that they do not time out on a busy machine.
    const timeoutMs = code === timeout ? 400 : 60_000
    const { port, calls, lines } = await runForwarder(upstream, { timeoutMs, idleTimeoutMs: timeoutMs })
    const startedAt = performance.now()
    const { answers } = await sendRaw(port, requestText())
    expect(performance.now() - startedAt).toBeLessThan(roomFor(4_000))
    expect(answers).toHaveLength(1)
    expect(answers[0]?.status).toBe(502)
    expect(JSON.parse(answers[0]!.body)).toEqual({
      error: { message: expect.any(String), type: 'server_error', param: null, code },
    })
    expect(answers[0]?.headers['x-request-id']).toBe(calls[0]?.requestId)
    expect(calls[0]?.settled).toEqual([0])
    // The log line of a redirect has no code.
    expect(lines.join('')).toMatch(
      /"event":"upstream failed".*"reason":"(?:redirect"|[a-z_]+","code":"[A-Za-z_]+"),"attempt":1/,
    )
  })

  it('is not there means 502, after a second try', async () => {
    const server = (await import('node:net')).createServer()
    const closedPort = await listen(server)
    await new Promise(resolve => server.close(resolve))
    const { port, calls, lines } = await runForwarder(`http://127.0.0.1:${closedPort}`)
    const { answers } = await sendRaw(port, requestText())
    expect(answers[0]?.status).toBe(502)
    expect(calls[0]?.settled).toEqual([0])
    expect(lines.join('')).toContain('"reason":"connect","code":"ECONNREFUSED","attempt":2')
  })

  it('fails once it was asked is not asked again', async () => {
    let asked = 0
    const upstream = await startRawUpstream(socket => {
      asked++
      socket.destroy()
    })
    const { port } = await runForwarder(upstream)
    await sendRaw(port, requestText())
    expect(asked).toBe(1)
  })

  it('works on a call of a kept connection and then fails is not asked again', async () => {
    let asked = 0
    const upstream = await startUpstream((request, response) => {
      asked++
      if (asked === 1) response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      else setTimeout(() => request.socket.destroy(), 2_600)
    })
    const { port } = await runForwarder(upstream)
    expect((await sendRaw(port, requestText())).answers[0]?.status).toBe(200)
    expect((await sendRaw(port, requestText())).answers[0]?.status).toBe(502)
    expect(asked).toBe(2)
  })

  it('stops and leaves connections behind that were used before is asked on a fresh one', async () => {
    const served = new WeakSet<object>()
    let waiting: (() => void)[] = []
    let stale = 0
    // More connections than a client would try one by one.
    const many = 20
    const upstream = await startRawUpstream(socket => {
      if (served.has(socket)) {
        stale++
        return void socket.resetAndDestroy()
      }
      served.add(socket)
      const answer = () => socket.write(`${json}content-length: 2\r\n\r\n{}`)
      waiting.push(answer)
      if (waiting.length === many || stale > 0) for (const each of waiting.splice(0)) each()
    })
    const { port } = await runForwarder(upstream)
    // Each concurrent request opens a connection, and all of them are kept alive.
    await Promise.all(Array.from({ length: many }, () => sendRaw(port, requestText())))
    waiting = []
    const { answers } = await sendRaw(port, requestText())
    expect(stale).toBeGreaterThan(0)
    expect(answers[0]?.status).toBe(200)
  })

  it('puts what no header may hold into an allowed one loses that header alone', async () => {
    const upstream = await startRawUpstream(socket => {
      socket.end(Buffer.from(`${json}retry-after: \u2028\r\ncontent-length: 2\r\n\r\n{}`))
    })
    const { port } = await runForwarder(upstream)
    const { answers } = await sendRaw(port, requestText())
    expect(answers[0]?.status).toBe(200)
    expect(answers[0]?.headers).not.toHaveProperty('retry-after')
  })
})

const afterFirstEvent: [name: string, code: string, script: Script][] = [
  ['resets between events', unavailable, socket => socket.resetAndDestroy()],
  ['closes between events', unavailable, socket => socket.end()],
  [
    'resets in the middle of an event',
    unavailable,
    socket => socket.write(chunk('data: {"half'), () => socket.resetAndDestroy()),
  ],
  ['closes in the middle of a line end', unavailable, socket => socket.end(chunk('data: {}\r'))],
  ['closes behind one line end', unavailable, socket => socket.end(chunk('data: {"lost":true}\n'))],
  ['breaks the framing', unavailable, socket => socket.end('zz\r\nrubbish')],
  ['stalls', timeout, () => undefined],
  ['stalls in the middle of an event', timeout, socket => socket.write(chunk('data: {"half'))],
]

describe('once events have gone to the client, an upstream that', () => {
  it.each(afterFirstEvent)('%s ends the stream with one error event: %s', async (_name, code, script) => {
    const upstream = await startRawUpstream(socket => {
      socket.write(`${events}${chunk(delta('one'))}${chunk(delta('two'))}`)
      setTimeout(() => script(socket), 50)
    })
    const { port, calls } = await runForwarder(upstream, { idleTimeoutMs: 400 })
    const client = openStream(port)
    await until(() => client.isComplete())
    const parsed = parseEvents(client.body())
    expect(parsed).toHaveLength(3)
    expect(JSON.parse(parsed[2]!.data)).toEqual({
      error: { message: expect.any(String), type: 'server_error', param: null, code },
    })
    expect(client.body().toString()).not.toContain('[DONE]')
    expect(client.body().toString()).not.toMatch(/half|lost/)
    expect(calls[0]?.settled).toEqual([promptEstimate + 2])
  })

  /** Breaks once half of what the upstream sends has reached the client. */
  async function breakMidway(head: string, text: string) {
    const reached = Promise.withResolvers<Socket>()
    const upstream = await startRawUpstream(socket => {
      socket.write(`${head}${chunk(text)}`)
      reached.resolve(socket)
    })
    const { port, calls } = await runForwarder(upstream)
    const client = openStream(port)
    const socket = await reached.promise
    await expect.poll(() => client.text().length).toBeGreaterThan(text.length / 2)
    socket.resetAndDestroy()
    await client.closed
    return { client, calls }
  }

  it('breaks within an event too large to be held back breaks the connection', async () => {
    const { client, calls } = await breakMidway(`${events}${chunk(delta('one'))}`, `data: ${'x'.repeat(1 << 20)}`)
    expect(client.isComplete()).toBe(false)
    expect(calls[0]?.settled).toEqual([promptEstimate + 1])
  })

  it('breaks within a large plain answer breaks the connection', async () => {
    const head = `${json}transfer-encoding: chunked\r\n\r\n`
    const { client, calls } = await breakMidway(head, `{"a":"${'x'.repeat(2 << 20)}`)
    expect(client.isComplete()).toBe(false)
    expect(calls[0]?.settled).toHaveLength(1)
  })

  if (inject('prove')) {
    it('sends one line without end is cut off in bounded memory', async () => {
      const piece = chunk('x'.repeat(1 << 16))
      const upstream = await startRawUpstream(socket => {
        socket.write(`${events}${chunk(delta('one'))}${chunk('data: ')}`)
        const more = () => {
          while (socket.writable && socket.write(piece));
        }
        socket.on('drain', more)
        more()
      })
      const { port } = await runForwarder(upstream)
      const socket = connect(port, '127.0.0.1', () => socket.write(requestText()))
      let received = 0
      socket.on('data', (bytes: Buffer) => {
        received += bytes.length
      })
      await new Promise(resolve => socket.once('close', resolve))
      expect(received).toBeLessThan(48 << 20)
    })
  }
})

it('goes on after faults, on fresh connections', async () => {
  let count = 0
  // A request on a kept-alive connection would be retried after a reset.
  const closing = new Map([
    ['content-type', 'application/json'],
    ['connection', 'close'],
  ])
  const upstream = await startUpstream((_request, response) => {
    count++
    if (count % 2 === 1) response.socket?.destroy()
    else response.setHeaders(closing).end('{"choices":[]}')
  })
  const { port } = await runForwarder(upstream)
  const statuses: (number | undefined)[] = []
  for (let turn = 0; turn < 6; turn++) statuses.push((await sendRaw(port, requestText())).answers[0]?.status)
  expect(statuses).toEqual([502, 200, 502, 200, 502, 200])
})
