// Requests that are read by ourselves: what a client sees must be what the runtime's server would have shown it, and
// everything that is not plain must be that server's.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { PlaneResponse } from '../../../src/http/exchange.ts'
import { FastLaneRequest } from '../../../src/http/fast-lane/request.ts'
import type { RequestHandler } from '../../../src/http/front/accept-request.ts'
import { readBody } from '../../../src/http/read-body.ts'
import { replyJson } from '../../../src/http/reply.ts'
import { bodyOf, getModels as get, postChat as post, sendRaw } from '../raw-request.ts'
import { runListener } from '../running-listener.ts'

const limits = { maxBytes: 100_000, timeoutMs: 2_000 }
/** Says which of the two read the request. */
const tell: RequestHandler = async (request, response) => {
  const body = request.method === 'POST' ? (await readBody(request, limits)).value : null
  replyJson(response, 200, { isPlain: request instanceof FastLaneRequest, url: request.url, body })
}

const bodiesOf = (answers: Array<{ body: string }>) => answers.map(({ body }) => JSON.parse(body))

it('answers plain requests of one connection in their order, pipelined or not', async () => {
  const { port } = await runListener({ plane: tell })
  const text = get('/v1/models?a=1') + post('{"a":"b"}') + get('/v1/threads')
  const { answers, closed } = await sendRaw(port, text)
  expect(bodiesOf(answers)).toEqual([
    { isPlain: true, url: '/v1/models?a=1', body: null },
    { isPlain: true, url: '/v1/chat', body: { a: 'b' } },
    { isPlain: true, url: '/v1/threads', body: null },
  ])
  expect(closed).toBe(false)
  expect(answers[0]!.headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=65' })
  expect(Date.parse(answers[0]!.headers['date'] ?? '')).toBeGreaterThan(Date.now() - 5_000)
})

it('waits for the rest of a request a moment, wherever it is cut', async () => {
  const { port } = await runListener({ plane: tell })
  const whole = post('{"a":1}')
  for (const at of [1, 20, whole.indexOf('\r\n\r\n') + 2, whole.length - 7, whole.length - 1]) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const answered = new Promise<string>(resolve => socket.once('data', data => resolve(data.toString())))
    socket.write(whole.slice(0, at))
    await sleep(5)
    socket.write(whole.slice(at))
    expect(await answered, `cut at ${at}`).toContain('"url":"/v1/chat","body":{"a":1}}')
    socket.destroy()
  }
})

it.each<[string, string, number?]>([
  [
    'a chunked body',
    post('').replace('Content-Length: 0\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
  ],
  ['the last of a connection', get('/v1/models', 'Connection: close\r\n')],
  ['a header given twice', get('/v1/models', 'Accept: a\r\nAccept: b\r\n')],
  ['a header with an underscore', get('/v1/models', 'X_Tenant_Id: a\r\n')],
  ['bytes beyond ASCII', get('/v1/models', 'User-Agent: caf\xe9\r\n')],
  ['a stray end of line', get('/v1/models', 'Accept: a\r\r\n'), 400],
  ['an old version', get().replace('HTTP/1.1', 'HTTP/1.0')],
  ['an absolute target', get('http://a-b-1.localhost/v1/models')],
  ['a large body', post(`{"a":"${'x'.repeat(70_000)}"}`)],
  ['a method whose answer has no body', get().replace('GET', 'HEAD')],
])('leaves %s to the runtime, and all that follows', async (_what, first, status = 200) => {
  const { port, arrivals } = await runListener({ plane: tell })
  const { answers } = await sendRaw(port, first, { quietMs: 200 })
  expect(answers[0]).toMatchObject({ status })
  expect(arrivals).toHaveLength(status === 200 ? 1 : 0)
  if (first.startsWith('HEAD') || status !== 200) return
  expect(bodiesOf(answers)[0]).toMatchObject({ isPlain: false })
  const after = await sendRaw(port, get() + first + get(), { quietMs: 200 })
  const [before, ...others] = bodiesOf(after.answers).map(({ isPlain }) => isPlain)
  expect(before).toBe(true)
  expect(others.length).toBeGreaterThan(0)
  expect(others).not.toContain(true)
})

it('leaves what is slow to the runtime, which keeps its own time', async () => {
  const { port } = await runListener({ plane: tell, limits: { headersTimeoutMs: 300, checkIntervalMs: 50 } })
  const slow = await sendRaw(port, get().slice(0, 30))
  expect(slow.answers[0]).toMatchObject({ status: 408 })
  const silent = await sendRaw(port, '')
  expect(silent.closed).toBe(true)
})

it('reads on after a long answer, however much was asked meanwhile', async () => {
  let finish: () => void = () => undefined
  const { port } = await runListener({
    plane: async (request, response, incoming) => {
      if (request.url !== '/v1/slow') return tell(request, response, incoming)
      await new Promise<void>(resolve => {
        finish = resolve
      })
      replyJson(response, 200, {})
    },
  })
  // The third holds more than is read ahead, and less than a whole request.
  for (const size of [30_000, 63_000, 65_500, 90_000]) {
    const socket = connect(port, '127.0.0.1')
    let told = ''
    socket.on('data', data => {
      told += data.toString()
    })
    const second = post(`{"a":"${'x'.repeat(size)}"}`)
    socket.write(get('/v1/slow') + second.slice(0, size + 70))
    await sleep(150)
    finish()
    await sleep(20)
    socket.write(second.slice(size + 70))
    await expect.poll(() => told.split('HTTP/1.1 200').length).toBe(3)
    await expect.poll(() => told.length).toBeGreaterThan(size)
    socket.destroy()
  }
})

it('keeps what one client said while others speak, whoever reads it', async () => {
  const gate = Promise.withResolvers<void>()
  const { port, arrivals } = await runListener({
    plane: async (request, response, incoming) => {
      if (request.method === 'POST') await gate.promise
      return tell(request, response, incoming)
    },
  })
  const texts = [100, 5_000, 70_000].map(length => 'x'.repeat(length))
  const clients = texts.map(text => {
    const socket = connect(port, '127.0.0.1', () => socket.write(post(`{"a":"${text}"}`)))
    let told = ''
    socket.on('data', data => {
      told += data.toString()
    })
    return { text, told: () => told, leave: () => socket.destroy() }
  })
  await expect.poll(() => arrivals.length).toBe(texts.length)
  const others = await sendRaw(port, get(`/v1/models?b=${'y'.repeat(7_000)}`).repeat(12), { quietMs: 200 })
  expect(others.answers).toHaveLength(12)
  gate.resolve()
  for (const { text, told, leave } of clients) {
    await expect.poll(told).toContain(`"body":{"a":"${text}"}}`)
    leave()
  }
})

it('does not listen to what follows the end of a connection', async () => {
  const { port, arrivals } = await runListener({ plane: tell })
  const socket = connect(port, '127.0.0.1', () => socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'))
  let told = ''
  socket.on('data', data => {
    told += data.toString()
    socket.write(get())
  })
  await expect.poll(() => told).toContain('HTTP/1.1 ')
  await sleep(100)
  socket.destroy()
  expect(told.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  expect(arrivals).toEqual([])
})

it('closes what was idle for too long, and not before', async () => {
  const { port } = await runListener({ plane: tell, limits: { keepAliveTimeoutMs: 1_500, checkIntervalMs: 100 } })
  const startedAt = Date.now()
  const { answers, closed } = await sendRaw(port, get(), { quietMs: 8_000 })
  expect(answers).toHaveLength(1)
  expect(closed).toBe(true)
  expect(Date.now() - startedAt).toBeGreaterThan(1_300)
})

it.each([true, false])(
  'leaves the next answer alone where an earlier one is still acted on: on the lane %s',
  async isOnLane => {
    const earlier: PlaneResponse[] = []
    const { port } = await runListener({
      withoutLane: !isOnLane,
      plane: async (request, response) => {
        if (request.url === '/v1/first') {
          earlier.push(response)
          response.on('error', () => undefined)
        } else {
          const [first] = earlier
          await expect.poll(() => first!.destroyed).toBe(true)
          first!.write('too late')
          first!.end('too late')
          first!.setTimeout(1)
          first!.destroy()
          await sleep(50)
        }
        replyJson(response, 200, { url: request.url })
      },
    })
    const { answers, closed } = await sendRaw(port, get('/v1/first') + get('/v1/second'), { quietMs: 1_000 })
    expect(bodiesOf(answers)).toEqual([{ url: '/v1/first' }, { url: '/v1/second' }])
    expect(closed).toBe(false)
  },
)

it.each([true, false])('answers with 500 whatever fails before the plane is asked: on the lane %s', async isOnLane => {
  const { port, lines } = await runListener({
    withoutLane: !isOnLane,
    isInternalSecret: () => {
      throw new TypeError('no secret to compare with')
    },
    plane: (request, response) => {
      Object.defineProperty(request.socket, 'remoteAddress', {
        get() {
          throw new TypeError('no address')
        },
      })
      replyJson(response, 200, {})
    },
  })
  const described = await sendRaw(port, get() + get())
  expect(described.answers.map(({ status }) => status)).toEqual([200, 500])
  const located = await sendRaw(port, get('/v1/models', 'X-Internal-Secret: a\r\n'), { quietMs: 200 })
  expect(located.answers.map(({ status }) => status)).toEqual([500])
  expect(lines.filter(line => line.includes('"event":"request failed"'))).toHaveLength(2)
})

type Write = (response: PlaneResponse) => void

const answer =
  (write: Write): RequestHandler =>
  (_request, response) =>
    write(response)

const writes: Array<[string, string, boolean, Write]> = [
  ['a text', 'né', false, response => void response.end('né')],
  ['bytes', 'né', false, response => void response.end(Buffer.from('né'))],
  [
    'pieces',
    'aéb',
    true,
    response => {
      response.write('a')
      response.write(Buffer.from('é'))
      response.end('b')
    },
  ],
  [
    'nothing',
    '',
    false,
    response => {
      response.statusCode = 204
      response.end()
    },
  ],
  ['a large text', 'é'.repeat(40_000), false, response => void response.end('é'.repeat(40_000))],
  [
    'a large piece',
    'x'.repeat(20_000),
    true,
    response => {
      response.write(Buffer.alloc(20_000, 'x'))
      response.end()
    },
  ],
  [
    'its own framing',
    'a',
    true,
    response => {
      response.writeHead(200)
      response.chunkedEncoding = false
      response.write('1\r\na\r\n')
      response.end('0\r\n\r\n')
    },
  ],
  [
    'its own length',
    'ab',
    false,
    response => {
      response.setHeader('content-length', 2)
      response.write('a')
      response.end('b')
    },
  ],
]

it.each(writes)('writes %s as the runtime does', async (_what, expected, isFramed, write) => {
  for (const withoutLane of [false, true]) {
    const { port } = await runListener({ plane: answer(write), withoutLane })
    const { text } = await sendRaw(port, get(), { quietMs: 150 })
    expect(Buffer.from(bodyOf(text), 'latin1').toString('utf8')).toBe(expected)
    expect(/transfer-encoding: chunked/i.test(text)).toBe(isFramed)
  }
})

it('refuses to write what would end a header', async () => {
  const { port, lines } = await runListener({
    plane: answer(response => response.setHeader('x-told', 'a\r\nx-injected: b')),
  })
  const { answers } = await sendRaw(port, get())
  expect(answers[0]).toMatchObject({ status: 500 })
  expect(answers[0]!.headers).not.toHaveProperty('x-injected')
  expect(lines.join('')).not.toContain('injected')
})

it('asks for patience where the client reads slowly, and goes on when it reads', async () => {
  const piece = Buffer.alloc(256 * 1024, 'x')
  let drains = 0
  const { port } = await runListener({
    plane: async (_request, response) => {
      for (let count = 0; count < 40; count++) {
        if (response.write(piece)) continue
        drains++
        await new Promise<void>(resolve => response.once('drain', () => resolve()))
      }
      response.end()
    },
  })
  const socket = connect(port, '127.0.0.1', () => socket.write(get()))
  let received = 0
  socket.on('data', chunk => {
    received += chunk.length
  })
  socket.pause()
  await sleep(200)
  socket.resume()
  await expect.poll(() => received).toBeGreaterThan(40 * piece.length)
  expect(drains).toBeGreaterThan(0)
  socket.destroy()
})

it('ends the connection with the answer once a stop has begun, and idle ones at once', async () => {
  let finish: () => void = () => undefined
  const { port, listener } = await runListener({
    plane: async (request, response) => {
      if (request.url === '/v1/slow') {
        await new Promise<void>(resolve => {
          finish = resolve
        })
      }
      replyJson(response, 200, {})
    },
  })
  const idle = sendRaw(port, get(), { quietMs: 8_000 })
  const busy = sendRaw(port, get('/v1/slow'), { quietMs: 8_000 })
  await expect.poll(() => listener.countOpen().requests).toBe(1)
  const stopped = listener.close(5_000)
  expect((await idle).closed).toBe(true)
  finish()
  const { answers, closed } = await busy
  expect(answers[0]!.headers['connection']).toBe('close')
  expect(closed).toBe(true)
  await stopped
})

it.each([true, false])('reads plain requests by itself unless switched off: hasFastLane %s', async hasFastLane => {
  const { port } = await runListener({ hasFastLane, plane: tell })
  const { answers } = await sendRaw(port, get('/v1/models'))
  expect(bodiesOf(answers)).toEqual([{ isPlain: hasFastLane, url: '/v1/models', body: null }])
})
