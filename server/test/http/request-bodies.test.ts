// How much of bodies is held and read: of one that nobody has asked for, of all together, and of framing in place of a
// body.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
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
const inChunksOfOne = (body: string) => `${[...body].map(byte => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`

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
    ['in chunks of one byte', (body: string) => chunkedHead + inChunksOfOne(body)],
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
    // 64 KB in chunks of one byte, and a reading more.
    expect(sockets[0]!.bytesRead).toBeLessThan(6 * 64 * kilobyte + 256 * kilobyte)
    gate.resolve()
    await expect.poll(() => client.text).toContain(`{"size":${size}}`)
  })
})

describe('bodies beyond the memory for all of them', () => {
  const large = jsonOf(700 * kilobyte)
  const writes: Array<[string, string]> = [
    ['of a told length', head(`Content-Length: ${large.length}`) + large],
    ['in chunks of one byte', chunkedHead + inChunksOfOne(large)],
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

describe('framing in place of a body', () => {
  const body = '{"a":1}'
  const freeBytes = 16 * kilobyte
  const maxBehind = 64 * body.length
  /** With so many bytes of framing in front of the body, and so many behind it. */
  const withFraming = (before: number, behind: number) =>
    `7;${'e'.repeat(before - 4)}\r\n${body}\r\n0;${'e'.repeat(behind - 6)}\r\n\r\n`

  it.each([
    ['as much as may be', freeBytes, maxBehind, 200],
    ['a byte too much in front', freeBytes + 1, maxBehind, 400],
    ['a byte too much behind', freeBytes, maxBehind + 1, 400],
  ])('%s, at once and in parts, whosever host it is', async (_what, before, behind, status) => {
    const { port } = await runListener({ plane: answerWhen(Promise.resolve()) })
    for (const host of ['a-b-1.localhost', 'localhost']) {
      const text = head('Transfer-Encoding: chunked', host) + withFraming(before, behind)
      const whole = await sendRaw(port, text, { quietMs: 300 })
      expect(whole.answers).toMatchObject([{ status }])
      const inParts = openClient(port, text.slice(0, 300))
      for (let at = 300; at < text.length; at += 3_000) {
        await sleep(5)
        inParts.socket.write(text.slice(at, at + 3_000))
      }
      await expect.poll(() => parseAnswers(inParts.text)).toMatchObject([{ status }])
      if (status === 400) await inParts.closed
    }
  })

  it('leaves chunks of one byte alone, which take five bytes each', async () => {
    const { port } = await runListener({ plane: answerWhen(Promise.resolve()) })
    const client = openClient(port, chunkedHead + inChunksOfOne(jsonOf(100_000)))
    await expect.poll(() => client.text).toContain('{"size":100000}')
  })
})
