// What a data-plane body may be: every fault is refused in time, and the connection is left in a sound state.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { RequestHandler } from '../../src/http/front/accept-request.ts'
import { readBody } from '../../src/http/read-body.ts'
import { replyJson } from '../../src/http/reply.ts'
import { roomFor } from '../support/slowness.ts'
import { sendRaw } from './raw-request.ts'
import { runListener } from './running-listener.ts'

const echoWithin =
  (timeoutMs: number): RequestHandler =>
  async (request, response) => {
    const { value, bytes } = await readBody(request, { maxBytes: 1_000, timeoutMs })
    replyJson(response, 200, { value, size: bytes.length })
  }
const echo = echoWithin(30_000)
const post = (content: string | Buffer, type = 'application/json', extra = '') => {
  const body = Buffer.from(content)
  const head = `POST /x HTTP/1.1\r\nHost: a-b-1.localhost\r\nContent-Type: ${type}\r\n${extra}Content-Length: `
  return Buffer.concat([Buffer.from(`${head}${body.length}\r\n\r\n`), body])
}
const chunked = (...chunks: string[]) => {
  const head = 'POST /x HTTP/1.1\r\nHost: a-b-1.localhost\r\nContent-Type: application/json\r\n'
  const body = chunks.map(chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')
  return `${head}Transfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`
}

it.each([['application/json'], ['application/json; charset=utf-8'], ['Application/JSON;charset="UTF-8"']])(
  'reads %s',
  async type => {
    const { port } = await runListener({ plane: echo })
    const { answers, closed } = await sendRaw(port, post('{"a":[1,"é"]}', type))
    expect(answers[0]).toMatchObject({ status: 200 })
    expect(closed).toBe(false)
  },
)

it('reads a body whole that came in pieces while something else was waited for', async () => {
  const { port } = await runListener({
    plane: async (request, response, incoming) => {
      await sleep(500)
      await echo(request, response, incoming)
    },
  })
  const whole = post('{"a":[1,2,3]}').toString()
  const socket = connect(port, '127.0.0.1')
  const answer = new Promise<string>(resolve => socket.once('data', data => resolve(data.toString())))
  for (const piece of [whole.slice(0, -9), whole.slice(-9, -4), whole.slice(-4)]) {
    socket.write(piece)
    await sleep(piece === whole.slice(0, -9) ? 250 : 20)
  }
  expect(await answer).toContain('{"value":{"a":[1,2,3]},"size":13}')
  socket.destroy()
})

it('reads chunks, and keeps the connection for the next request', async () => {
  const { port } = await runListener({ plane: echo })
  const { answers } = await sendRaw(port, chunked('{"a"', ':1}') + chunked('[]'))
  expect(answers.map(({ body }) => body)).toEqual(['{"value":{"a":1},"size":7}', '{"value":[],"size":2}'])
})

const namesOf = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, 0])))
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

it.each<[string, string | Buffer, number]>([
  ['an empty body', post(''), 400],
  ['broken JSON', post('{"a":'), 400],
  ['invalid UTF-8', post(Buffer.from([0x22, 0xff, 0x22])), 400],
  ['UTF-8 with a surrogate', post(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])), 400],
  ['a byte order mark', post('\ufeff{}'), 400],
  ['64 levels', post(nested(64)), 200],
  ['65 levels', post(nested(65)), 400],
  ['65 levels of objects', post(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`), 400],
  ['a __proto__ member', post('{"a":[{"__proto__":{"x":1}}]}'), 400],
  ['text', post('{}', 'text/plain'), 415],
  ['a type that only begins like JSON', post('{}', 'application/jsonx'), 415],
  ['another charset', post('{}', 'application/json; charset=latin1'), 415],
  ['gzip', post('{}', 'application/json', 'Content-Encoding: gzip\r\n'), 415],
  ['identity', post('{}', 'application/json', 'Content-Encoding: identity\r\n'), 200],
  ['exactly the limit', post(`"${'x'.repeat(998)}"`), 200],
  ['one byte above the limit', post(`"${'x'.repeat(999)}"`), 413],
  ['chunks above the limit', chunked('"', 'x'.repeat(600), 'x'.repeat(600), '"'), 413],
])('answers %s', async (_name, raw, status) => {
  const { port } = await runListener({ plane: echo })
  const { answers } = await sendRaw(port, raw)
  expect(answers[0]?.status).toBe(status)
  expect(answers).toHaveLength(1)
})

it.each([
  ['10,000 names', namesOf(10_000), 200],
  ['10,001 names', `[${namesOf(10_001)}]`, 400],
  ['100,000 values', JSON.stringify({ a: Array<string>(99_997).fill('') }), 200],
  ['100,001 values', JSON.stringify({ a: Array<string>(99_998).fill('') }), 413],
])('answers an object of %s', async (_name, body, status) => {
  const { port } = await runListener({
    plane: async (request, response) => {
      await readBody(request, { maxBytes: 10_000_000, timeoutMs: 5_000 })
      replyJson(response, 200, {})
    },
  })
  const { answers } = await sendRaw(port, post(body))
  expect(answers[0]?.status).toBe(status)
})

it('survives a depth bomb of a million levels, which has too many values', async () => {
  const { port } = await runListener({
    plane: async (request, response) => {
      await readBody(request, { maxBytes: 10_000_000, timeoutMs: 5_000 })
      replyJson(response, 200, {})
    },
  })
  const { answers } = await sendRaw(port, post(nested(1_000_000)))
  expect(answers[0]?.status).toBe(413)
})

it('announces 413 to a client that is still sending, then closes', async () => {
  const { port } = await runListener({ plane: echo })
  const started = Date.now()
  const { answers, closed } = await sendRaw(port, post('x'.repeat(8_000_000)), { quietMs: 4_000 })
  expect(answers[0]).toMatchObject({ status: 413, headers: { connection: 'close' } })
  expect(closed).toBe(true)
  expect(Date.now() - started).toBeLessThan(roomFor(4_000))
})

it('gives up on a slow body', async () => {
  const { port } = await runListener({ plane: echoWithin(300) })
  const head =
    'POST /x HTTP/1.1\r\nHost: a-b-1.localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
  const { answers, closed } = await sendRaw(port, head, { quietMs: 4_000 })
  expect(answers[0]).toMatchObject({ status: 408, headers: { connection: 'close' } })
  expect(closed).toBe(true)
})

it('ends quietly when the client goes away', async () => {
  const failures: unknown[] = []
  const { port, lines } = await runListener({
    plane: async request => {
      try {
        await readBody(request, { maxBytes: 1_000, timeoutMs: 20_000 })
      } catch (error) {
        failures.push(error)
        throw error
      }
    },
  })
  const socket = connect(port, '127.0.0.1')
  socket.write(post('{"a":1}').subarray(0, -2))
  await sleep(100)
  socket.destroy()
  await expect.poll(() => failures.length).toBe(1)
  await expect.poll(() => lines.filter(line => line.includes('"aborted":true')).length).toBe(1)
  expect(lines.filter(line => line.includes('"level":"error"'))).toHaveLength(0)
})
