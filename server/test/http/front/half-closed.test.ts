// Clients that close their half of a connection: those that wait get their whole answer, byte for byte, and those that
// are gone are noticed when the answer is written, whoever reads their requests.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PlaneResponse } from '../../../src/http/exchange.ts'
import { readBody } from '../../../src/http/read-body.ts'
import { replyJson } from '../../../src/http/reply.ts'
import { bodyOf, getModels as get, parseAnswers, postChat as post } from '../raw-request.ts'
import { runListener } from '../running-listener.ts'

const pauseMs = 50

type Write = (response: PlaneResponse) => Promise<void>

/** What is written, and what the client reads of it. */
const answers: Array<[name: string, body: string, write: Write]> = [
  [
    'a whole answer',
    '{"a":"b"}',
    async response => {
      await sleep(pauseMs)
      replyJson(response, 200, { a: 'b' })
    },
  ],
  [
    'a whole answer behind an interim one',
    '{"a":"b"}',
    async response => {
      await sleep(pauseMs)
      response.writeProcessing()
      await sleep(pauseMs)
      replyJson(response, 200, { a: 'b' })
    },
  ],
  [
    'a stream',
    'firstsecond',
    async response => {
      await sleep(pauseMs)
      response.write('first')
      await sleep(pauseMs)
      response.write('second')
      await sleep(pauseMs)
      response.end()
    },
  ],
  [
    'a stream with framing of its own',
    'first',
    async response => {
      response.writeHead(200)
      response.chunkedEncoding = false
      response.write('5\r\nfirst\r\n')
      await sleep(pauseMs)
      response.end('0\r\n\r\n')
    },
  ],
  [
    'a body of a told length',
    'firstlater',
    async response => {
      response.setHeader('content-length', 10)
      response.write('first')
      await sleep(pauseMs)
      response.end('later')
    },
  ],
]
const readers = [true, false]

describe.each(readers)('a client that waits, read by the runtime: %s', withoutLane => {
  it.each(answers)('gets %s', async (_name, body, write) => {
    const { port } = await runListener({ withoutLane, plane: async (_request, response) => await write(response) })
    const text = await askAndClose(port, get())
    const answer = text.slice(text.indexOf('HTTP/1.1 200 OK'))
    expect(text.slice(0, -answer.length)).toMatch(/^(HTTP\/1\.1 102 Processing\r\n\r\n)?$/)
    expect(bodyOf(answer)).toBe(body)
  })

  it('gets the answers to all that it asked', async () => {
    const { port } = await runListener({
      withoutLane,
      plane: async (request, response) => {
        const body = request.method === 'POST' ? (await readBody(request, { maxBytes: 100_000 })).value : null
        await sleep(pauseMs)
        replyJson(response, 200, { url: request.url, body })
      },
    })
    const text = await askAndClose(port, get('/v1/one') + post('{"a":"b"}') + get('/v1/three'))
    expect(parseAnswers(text).map(({ body }) => JSON.parse(body))).toEqual([
      { url: '/v1/one', body: null },
      { url: '/v1/chat', body: { a: 'b' } },
      { url: '/v1/three', body: null },
    ])
  })

  it.each([
    ['half a head', get().slice(0, -2)],
    ['half a body', post('{}').slice(0, -1)],
  ])('is told what is wrong with %s', async (_what, text) => {
    const { port } = await runListener({
      withoutLane,
      plane: async (request, response) => {
        await readBody(request, { maxBytes: 1_000 })
        replyJson(response, 200, {})
      },
    })
    expect(parseAnswers(await askAndClose(port, text))).toMatchObject([{ status: 400 }])
  })
})

const beginnings: Array<[moment: string, begin: (response: PlaneResponse) => void, piece: string]> = [
  ['before the answer', () => undefined, 'more'],
  ['in a stream', response => void response.write('begun'), 'more'],
  [
    'in a stream with framing of its own',
    response => {
      response.writeHead(200)
      response.chunkedEncoding = false
      response.write('5\r\nbegun\r\n')
    },
    '4\r\nmore\r\n',
  ],
]

describe.each(readers)('a client that is gone, read by the runtime: %s', withoutLane => {
  it.each(beginnings)('%s, is noticed by what is written next', async (moment, begin, piece) => {
    const gone = Promise.withResolvers<void>()
    const ends: boolean[] = []
    const { port, lines } = await runListener({
      withoutLane,
      plane: async (_request, response) => {
        response.once('close', () => ends.push(response.writableFinished))
        begin(response)
        await gone.promise
        while (ends.length === 0) {
          response.write(piece)
          await sleep(1)
        }
      },
    })
    await leave(port, moment !== 'before the answer')
    expect(ends).toEqual([])
    gone.resolve()
    await expect.poll(() => ends).toEqual([false])
    await expect.poll(() => lines.filter(line => line.includes('"aborted":true'))).toHaveLength(1)
  })

  it('is not waited for once its whole answer is written', async () => {
    const gone = Promise.withResolvers<void>()
    const { port, listener } = await runListener({
      withoutLane,
      plane: async (_request, response) => {
        await gone.promise
        replyJson(response, 200, {})
      },
    })
    await leave(port, false)
    expect(listener.countOpen().requests).toBe(1)
    gone.resolve()
    await expect.poll(() => listener.countOpen().requests).toBe(0)
  })

  it('is noticed at once where it resets the connection', async () => {
    const ends: boolean[] = []
    const { port, listener } = await runListener({
      withoutLane,
      plane: (_request, response) => void response.once('close', () => ends.push(response.writableFinished)),
    })
    const socket = connect(port, '127.0.0.1', () => socket.write(get()))
    await expect.poll(() => listener.countOpen().requests).toBe(1)
    socket.resetAndDestroy()
    await expect.poll(() => ends).toEqual([false])
  })
})

/** Closes a connection whose request is under way, and waits until the listener has the end of input. */
async function leave(port: number, hasBegun: boolean): Promise<void> {
  const socket = connect(port, '127.0.0.1', () => socket.write(get()))
  if (hasBegun) await new Promise(resolve => socket.once('data', resolve))
  else await sleep(pauseMs)
  await new Promise(resolve => socket.once('close', resolve).destroy())
  await sleep(pauseMs)
}

/** All that comes until the server closes, of a client that closes its half right behind its request. */
async function askAndClose(port: number, text: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  const pieces: Buffer[] = []
  socket.on('data', (piece: Buffer) => pieces.push(piece))
  socket.end(text)
  await new Promise<void>(resolve => socket.once('end', resolve))
  return Buffer.concat(pieces).toString('latin1')
}
