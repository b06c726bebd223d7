// How much of bodies is held and read: of one that nobody has asked for, of all together, and of tiny chunks.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RuntimeRequestHandler } from '../../src/http/front/accept-request.ts'
import { readBody } from '../../src/http/read-body.ts'
import { replyJson } from '../../src/http/reply.ts'
import { getModels, parseAnswers, postChat, sendRaw, whenStuck, writeAll } from './raw-request.ts'
import { runListener } from './running-listener.ts'

const kilobyte = 1024
const head = (framing: string, host = 'a-b-1.localhost') =>
  `POST /v1/chat HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`
const chunkedHead = head('Transfer-Encoding: chunked')
const jsonOf = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`
function inChunks(body: string, size: number): string {
  const count = Math.ceil(body.length / size)
  const pieces = Array.from({ length: count }, (_, at) => body.slice(at * size, (at + 1) * size))
  return `${pieces.map(piece => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')}0\r\n\r\n`
}

/** Reads the body, says how long it was, and answers once it may. */
function answerWhen(gate: Promise<unknown>, onLarge: () => void = () => undefined): RuntimeRequestHandler {
  return async (request, response) => {
    const { bytes } = await readBody(request, { maxBytes: 4_000 * kilobyte, timeoutMs: 60_000 })
    if (bytes.length > 20 * kilobyte) {
      onLarge()
      await gate
    }
    replyJson(response, 200, { size: bytes.length })
  }
}

function openClient(port: number, text: string) {
  const socket = connect(port, '127.0.0.1', () => writeAll(socket, text))
  onTestFinished(() => void socket.destroy())
  const client = { socket, text: '', closed: new Promise(resolve => socket.once('close', resolve)) }
  socket.on('data', piece => {
    client.text += piece.toString('latin1')
  })
  socket.on('error', () => socket.destroy())
  return client
}

describe('a body that nobody has asked for', () => {
  it.each([
    ['in small chunks', (body: string) => chunkedHead + inChunks(body, 20)],
    ['of a told length', (body: string) => head(`Content-Length: ${body.length}`) + body],
  ])('%s is read up to 64 KB, and whole once it is asked for', async (_what, write) => {
    const gate = Promise.withResolvers<void>()
    const sockets: Socket[] = []
    const answer = answerWhen(Promise.resolve())
    const { port } = await runListener({
      plane: async (request, response, incoming) => {
        sockets.push(request.socket)
        await gate.promise
        await answer(request, response, incoming)
      },
    })
    const size = 3_000 * kilobyte
    const client = openClient(port, write(jsonOf(size)))
    await expect.poll(() => sockets.length).toBe(1)
    await whenStuck(client.socket)
    // With its framing, and a reading more.
    expect(sockets[0]!.bytesRead).toBeLessThan(2 * 64 * kilobyte + 256 * kilobyte)
    gate.resolve()
    await expect.poll(() => client.text).toContain(`{"size":${size}}`)
  })
})

describe('bodies beyond the memory for all of them', () => {
  const large = jsonOf(700 * kilobyte)
  const writes: Array<[string, string]> = [
    ['of a told length', head(`Content-Length: ${large.length}`) + large],
    ['in small chunks', chunkedHead + inChunks(large, 20)],
  ]

  it.each(writes)('are refused while others are answered, and taken again afterwards: %s', async (_what, text) => {
    const gate = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const { port } = await runListener({
      plane: answerWhen(gate.promise, held.resolve),
      limits: { bodyMemoryBytes: 1_000 * kilobyte },
    })
    const first = openClient(port, text)
    await held.promise
    const tryAgain = () => sendRaw(port, text, { quietMs: 1_000 })
    // A connection that is closed while more is sent may be reset before its answer is read.
    let refused = await tryAgain()
    while (refused.answers[0]?.status !== 503) refused = await tryAgain()
    expect(refused.answers[0]).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', connection: 'close' },
      body: JSON.stringify({
        error: 'service unavailable',
        message: 'The request bodies in progress take too much memory',
      }),
    })
    expect(refused.closed).toBe(true)
    expect((await sendRaw(port, postChat('{}'))).answers[0]?.status).toBe(200)
    expect((await sendRaw(port, postChat(jsonOf(15 * kilobyte)))).answers[0]?.status).toBe(200)
    gate.resolve()
    await expect.poll(() => first.text).toContain('200 OK')
    const again = openClient(port, text)
    await expect.poll(() => again.text).toContain(`{"size":${large.length}}`)
  })

  it('are given up with their connections', async () => {
    const { port } = await runListener({
      plane: answerWhen(Promise.resolve()),
      limits: { bodyMemoryBytes: 1_000 * kilobyte },
    })
    for (let count = 0; count < 5; count++) {
      const half = connect(port, '127.0.0.1')
      await new Promise(resolve => half.write(writes[count % 2]![1].slice(0, -100), 'latin1', resolve))
      half.destroy()
    }
    const ask = async () => (await sendRaw(port, writes[0]![1], { quietMs: 1_000 })).answers[0]?.status
    await expect.poll(ask).toBe(200)
  })

  it('are refused on the lane too, where they come in parts', async () => {
    const { port } = await runListener({ plane: answerWhen(Promise.resolve()), limits: { bodyMemoryBytes: kilobyte } })
    const text = postChat(jsonOf(50 * kilobyte))
    const client = openClient(port, text.slice(0, 40 * kilobyte))
    await expect.poll(() => parseAnswers(client.text)).toMatchObject([{ status: 503 }])
    expect((await sendRaw(port, postChat(jsonOf(10 * kilobyte)))).answers[0]?.status).toBe(200)
  })

  it('end the connection behind the answer under way, where a client asks for the next one meanwhile', async () => {
    const gate = Promise.withResolvers<void>()
    const { port, arrivals } = await runListener({
      plane: async (_request, response) => {
        await gate.promise
        replyJson(response, 200, {})
      },
      limits: { bodyMemoryBytes: kilobyte },
    })
    const client = openClient(port, getModels())
    await expect.poll(() => arrivals.length).toBe(1)
    client.socket.write(postChat(jsonOf(60 * kilobyte)).slice(0, 50 * kilobyte))
    await whenStuck(client.socket)
    gate.resolve()
    await client.closed
    expect(parseAnswers(client.text)).toMatchObject([{ status: 200, headers: { connection: 'close' } }])
    expect(arrivals).toHaveLength(1)
  })
})

describe('a body in tiny chunks', () => {
  const freeChunks = 4_096
  const minBytes = 16
  /** A chunk of 1,600 bytes, which pays for 100 more of one byte. */
  const behindLarge = (count: number) =>
    `640\r\n"${'x'.repeat(100 * minBytes - 1)}\r\n${inChunks(`${'y'.repeat(count - 1)}"`, 1)}`

  it.each([
    ['of one byte, up to 4,096', inChunks(jsonOf(freeChunks), 1), 200],
    ['of one byte, beyond', inChunks(jsonOf(100_000), 1), 400],
    ['of 16 bytes, any number', inChunks(jsonOf(400_000), minBytes), 200],
    ['of 8 bytes', inChunks(jsonOf(400_000), 8), 400],
    ['of one byte behind a large one', behindLarge(4_450), 200],
    ['of one byte behind a large one, too many', behindLarge(4_500), 400],
    ['with extensions', inChunks(jsonOf(400_000), 1).replaceAll('1\r\n', '1;e=1\r\n'), 400],
  ])('%s, whosever host it is and whether its handler reads it or not', async (_what, text, status) => {
    const { port } = await runListener({
      plane: async (request, response) => {
        if (request.headers['x-unread'] === undefined) await readBody(request, { maxBytes: 4_000 * kilobyte })
        replyJson(response, 200, {})
      },
    })
    const send = async (host: string) => {
      const client = openClient(port, head('Transfer-Encoding: chunked', host) + text)
      await expect.poll(() => parseAnswers(client.text)).toMatchObject([{ status }])
      if (status !== 400) return
      expect(parseAnswers(client.text)).toMatchObject([{ headers: { connection: 'close' } }])
      await client.closed
      const unread = openClient(port, head('X-Unread: 1\r\nTransfer-Encoding: chunked', host) + text)
      await expect.poll(() => parseAnswers(unread.text)).toMatchObject([{ status: 200 }])
      // The server closes a connection that it may keep after a minute.
      unread.socket.end()
      await unread.closed
      expect(parseAnswers(unread.text)).toMatchObject([{ status: 200 }])
    }
    await Promise.all(['a-b-1.localhost', 'localhost'].map(send))
  })

  it('is read as it comes where its length is known, however small its packets are', async () => {
    const { port } = await runListener({ plane: answerWhen(Promise.resolve()) })
    const body = jsonOf(3 * freeChunks)
    const client = openClient(port, head(`Content-Length: ${body.length}`))
    await once(client.socket.setNoDelay(true), 'connect')
    for (const byte of body) {
      client.socket.write(byte)
      await new Promise(resolve => setImmediate(resolve))
    }
    await expect.poll(() => client.text).toContain(`{"size":${body.length}}`)
  })

  it('may have an extension of 16 KB, and no longer one', async () => {
    const { port } = await runListener({ plane: answerWhen(Promise.resolve()) })
    const withExtension = (bytes: number) => `2;${'e'.repeat(bytes)}\r\n{}\r\n0\r\n\r\n`
    for (const [bytes, status] of [
      [16_000, 200],
      [17_000, 400],
    ] as const) {
      const { answers } = await sendRaw(port, chunkedHead + withExtension(bytes), { quietMs: 300 })
      expect(answers).toMatchObject([{ status }])
    }
  })
})
