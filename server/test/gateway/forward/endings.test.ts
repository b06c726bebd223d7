// Tests forwarded calls that end early: the client disconnects, a kill switch is set, the process stops. Also bounds
// the cost of a slow reader.
import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as sendRequest } from 'node:http'
import { connect } from 'node:net'
import { expect, inject, it } from 'vitest'
import { sendRaw } from '../../http/raw-request.ts'
import { type Flood, flood, maxHeldBytes, openCountingReader } from '../../support/simulated/flood.ts'
import { roomFor } from '../../support/slowness.ts'
import {
  type CallRecord,
  completion,
  delta,
  openStream,
  promptEstimate,
  requestText,
  runForwarder,
  startUpstream,
  until,
} from './forward-stage.ts'
import { parseEvents } from './sse-parser.ts'

const prove = inject('prove')
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** Streams an event every few milliseconds until its connection closes. */
async function startStreaming(everyMs = 5) {
  const state = { open: 0, closedAt: [] as number[], asked: 0 }
  const url = await startUpstream((request, response) => {
    state.open++
    state.asked++
    response.once('close', () => {
      state.open--
      state.closedAt.push(performance.now())
    })
    if (request.url?.includes('silent')) return
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => response.write(delta('x')), everyMs)
    response.once('close', () => clearInterval(timer))
  })
  return { url, state }
}

it('a client that leaves in the middle of a stream ends the upstream within a second, every time', async () => {
  const { url, state } = await startStreaming()
  const { port, calls } = await runForwarder(url)
  const clients = times(20, () => openStream(port))
  await until(() => clients.every(client => client.body().length > 0))
  const leftAt = performance.now()
  for (const client of clients) client.socket.destroy()
  await until(() => state.open === 0)
  expect(state.closedAt).toHaveLength(20)
  expect(Math.max(...state.closedAt) - leftAt).toBeLessThan(roomFor(1_000))
  expect(calls.every(({ settled }) => settled.length === 1 && settled[0]! > promptEstimate)).toBe(true)
})

it('a client that resets its connection before the answer ends the upstream too, and pays for its prompt', async () => {
  const { url, state } = await startStreaming()
  const { port, calls } = await runForwarder(url)
  const clients = times(20, () => openStream(port, requestText([], undefined, '/v1/chat/completions?silent')))
  await until(() => state.open === 20)
  const leftAt = performance.now()
  for (const client of clients) client.socket.resetAndDestroy()
  await until(() => state.open === 0)
  expect(Math.max(...state.closedAt) - leftAt).toBeLessThan(roomFor(1_000))
  expect(calls.map(({ settled }) => settled)).toEqual(times(20, () => [promptEstimate]))
})

it('a client that leaves before the answer pays for the time that it took, at most what was reserved', async () => {
  const { url, state } = await startStreaming()
  for (const [completion, most] of [
    [5, 5],
    [10_000, 200],
  ] as const) {
    const estimate = { prompt: promptEstimate, completion }
    const { port, calls } = await runForwarder(url, { estimate })
    const client = openStream(port, requestText([], undefined, '/v1/chat/completions?silent'))
    await until(() => state.open === 1)
    await pause(300)
    client.socket.resetAndDestroy()
    await until(() => state.open === 0)
    const [settled = 0] = calls[0]?.settled ?? []
    expect(settled - promptEstimate).toBeGreaterThanOrEqual(Math.min(completion, 30))
    expect(settled - promptEstimate).toBeLessThanOrEqual(roomFor(most))
  }
})

it('a call that has ended before it is forwarded never reaches the upstream', async () => {
  const { url, state } = await startStreaming()
  const { port, calls } = await runForwarder(url)
  const client = openStream(port, requestText().slice(0, -3))
  await until(() => calls.length === 1)
  calls[0]!.end('service_disabled')
  client.socket.write(requestText().slice(-3))
  await until(() => client.text().includes('HTTP/1.1 403'))
  expect(state.asked).toBe(0)
  expect(calls[0]?.settled).toEqual([0])
})

it(`${prove ? 1_000 : 50} streams left at random moments are settled once each, on a sane number`, async () => {
  const { url, state } = await startStreaming()
  const { port, calls } = await runForwarder(url)
  const count = prove ? 1_000 : 50
  for (let started = 0; started < count; started += 50) {
    await Promise.all(
      [...times(50, () => openStream(port)).entries()].map(async ([index, client]) => {
        // Half of the clients disconnect from a stream that has begun, even on a slow machine.
        if (index % 2 === 0) await until(() => client.body().length > 0)
        await pause(Math.random() * 150)
        client.socket.destroy()
      }),
    )
  }
  await until(() => state.open === 0 && calls.every(({ hasLeft }) => hasLeft))
  const forwarded = calls.filter(({ settled }) => settled.length > 0)
  expect(forwarded.length).toBeGreaterThanOrEqual(count / 2)
  expect(calls.every(({ settled }) => settled.length <= 1)).toBe(true)
  expect(forwarded.every(({ settled: [tokens] }) => Number.isInteger(tokens) && tokens! >= 0 && tokens! < 1_000)).toBe(
    true,
  )
})

async function endAll(calls: readonly CallRecord[], reason: 'service_disabled' | 'server_shutting_down') {
  for (const call of calls) call.end(reason)
}

it.each(['service_disabled', 'server_shutting_down'] as const)(
  '%s ends 200 open streams with one word each',
  async reason => {
    const { url, state } = await startStreaming(20)
    const { port, calls } = await runForwarder(url)
    const clients = times(200, () => openStream(port))
    await until(() => clients.every(client => client.body().length > 0))
    const endedAt = performance.now()
    await endAll(calls, reason)
    await until(() => clients.every(client => client.isComplete()) && state.open === 0)
    expect(performance.now() - endedAt).toBeLessThan(roomFor(2_000))
    for (const client of clients) {
      const events = parseEvents(client.body())
      expect(JSON.parse(events.at(-1)!.data)).toEqual({
        error: { message: expect.any(String), type: 'server_error', param: null, code: reason },
      })
      expect(events.filter(({ data }) => data.includes('"error"') || data === '[DONE]')).toHaveLength(1)
    }
    expect(calls.every(({ settled }) => settled.length === 1 && settled[0]! > promptEstimate)).toBe(true)
  },
)

it('a switch answers what has not been answered with 403 in the words of the gateway, at no cost', async () => {
  const { url, state } = await startStreaming()
  const { port, calls } = await runForwarder(url)
  const asked = times(20, () => sendRaw(port, requestText([], undefined, '/v1/chat/completions?silent')))
  await until(() => state.open === 20)
  await endAll(calls, 'service_disabled')
  for (const { answers } of await Promise.all(asked)) {
    expect(answers[0]?.status).toBe(403)
    expect(JSON.parse(answers[0]!.body)).toEqual({ error: 'forbidden', message: 'Service disabled by kill switch' })
  }
  await until(() => state.open === 0)
  expect(calls.map(({ settled }) => settled)).toEqual(times(20, () => [0]))
})

it('a stop that runs out of patience writes the last word to each stream', async () => {
  const { url } = await startStreaming()
  const { port, listener } = await runForwarder(url)
  const client = openStream(port)
  await until(() => client.body().length > 0)
  await listener.close(100)
  await client.closed
  expect(JSON.parse(parseEvents(client.body()).at(-1)!.data)).toMatchObject({ error: { code: 'server_shutting_down' } })
  expect(client.isComplete()).toBe(true)
})

/** Waits until the number has not changed for a while: how much the system's buffers take depends on the machine. */
async function untilStill(count: () => number): Promise<void> {
  for (let known = -1; known !== count(); await pause(500)) known = count()
}

/** Starts an upstream whose streams are far larger than all buffers, and records how much of each it has sent. */
async function startFlood(totalBytes: number) {
  const floods: Flood[] = []
  const options = { event: delta('y'.repeat(4_000)), totalBytes, last: 'data: [DONE]\n\n' }
  const url = await startUpstream((_request, response) => void floods.push(flood(response, options)))
  return { url, floods }
}

it('an upstream waits for a reader that stands still, while another reads all of its answer', async () => {
  const total = prove ? 300 << 20 : 64 << 20
  const { url, floods } = await startFlood(total)
  const { port, calls } = await runForwarder(url, {
    timeoutMs: 240_000,
    idleTimeoutMs: 240_000,
    totalTimeoutMs: 240_000,
  })
  const still = openCountingReader(port, requestText())
  await until(() => still.received() > 0)
  still.socket.pause()
  // Two more streams over the same path. When they end, the first would be complete too without back-pressure.
  for (const _turn of [1, 2]) await openCountingReader(port, requestText()).whole
  expect(floods.map(({ isWhole }) => isWhole)).toEqual([false, true, true])
  expect(floods[0]?.written).toBeLessThan(maxHeldBytes)
  still.socket.resume()
  await still.whole
  expect(still.received()).toBeGreaterThan(total)
  const cost = promptEstimate + Math.ceil(total / delta('y'.repeat(4_000)).length)
  expect(calls.map(({ settled }) => settled)).toEqual([[cost], [cost], [cost]])
})

it('slow readers get the very bytes that were sent to each', async () => {
  const sent: Hash[] = []
  const url = await startUpstream((_request, response) => {
    const hash = createHash('sha256')
    const stream = sent.push(hash)
    let at = 0
    const more = (): void => {
      while (at < 1_500) {
        const event = delta(`${stream}.${at++} `.repeat(600))
        hash.update(event)
        if (!response.write(event)) return
      }
      response.end()
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' }).on('drain', more)
    more()
  })
  const { port } = await runForwarder(url)
  const digests = await Promise.all(times(3, () => readSlowly(port)))
  expect(digests.toSorted()).toEqual(sent.map(hash => hash.digest('hex')).toSorted())
})

async function readSlowly(port: number): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const options = { port, host: '127.0.0.1', method: 'POST', path: '/v1/chat/completions', headers }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sendRequest(options, resolve).once('error', reject).end(completion)
  })
  const hash = createHash('sha256')
  await pause(300)
  for await (const chunk of answer) {
    hash.update(chunk)
    await pause(0)
  }
  return hash.digest('hex')
}

it('a reader that stands still too long is left, and its upstream with it', async () => {
  const { url, floods } = await startFlood(60 << 20)
  const { port, calls } = await runForwarder(url, { idleTimeoutMs: 400 })
  const socket = connect(port, '127.0.0.1', () => socket.write(requestText()))
  socket.pause()
  await until(() => floods[0]?.isClosed === true)
  expect(calls[0]?.settled).toHaveLength(1)
  socket.destroy()
})

it('a switch ends the call of a reader that stands still within two seconds', async () => {
  const { url, floods } = await startFlood(60 << 20)
  const { port, calls } = await runForwarder(url)
  const socket = connect(port, '127.0.0.1', () => socket.write(requestText()))
  socket.on('error', () => undefined)
  // A call that has passed nothing on is answered with an error, and its connection stays open.
  await once(socket, 'data')
  socket.pause()
  await untilStill(() => floods[0]?.written ?? 0)
  const endedAt = performance.now()
  await endAll(calls, 'service_disabled')
  await until(() => floods[0]?.isClosed === true)
  await pause(1_300)
  // The client reads on, but gets only what was already sent. Reading the whole stream would take seconds.
  let received = 0
  socket.on('data', (bytes: Buffer) => {
    received += bytes.length
  })
  socket.resume()
  await until(() => socket.closed)
  expect(performance.now() - endedAt).toBeLessThan(roomFor(2_500))
  expect(received).toBeLessThan(20 << 20)
})
