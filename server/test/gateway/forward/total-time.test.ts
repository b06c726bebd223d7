// Tests services at INFERENCE_URL that never stop sending bytes: the gateway ends their responses at the total timeout.
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Receiver } from '../../../src/outbound/call.ts'
import type { Outbound } from '../../../src/outbound/outbound.ts'
import { sendRaw } from '../../http/raw-request.ts'
import {
  delta,
  openStream,
  promptEstimate,
  requestText,
  runForwarder,
  startRawUpstream,
  until,
} from './forward-stage.ts'
import { parseEvents } from './sse-parser.ts'

/** Long timeouts for silence, so that only the total timeout ends these calls. */
const patient = { timeoutMs: 30_000, idleTimeoutMs: 30_000 }
const totalTimeoutMs = 1_000
const request = requestText(['Connection: close'])
const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n'
const events = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
const sign = 'HTTP/1.1 102 Processing\r\n\r\n'
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Sends `start`, then `drop` every 20 ms until the connection closes. */
async function startDripping(start: string, drop: string) {
  const left = Promise.withResolvers<void>()
  const url = await startRawUpstream((socket: Socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.writable && socket.write(drop), 20)
    socket.once('close', () => {
      clearInterval(timer)
      left.resolve()
    })
  })
  return { url, left: left.promise }
}

describe('a service that drips', () => {
  it('a plain answer is 502, and costs nothing', async () => {
    const { url, left } = await startDripping(json, '1')
    const { port, calls, lines } = await runForwarder(url, { ...patient, totalTimeoutMs })
    const { answers } = await sendRaw(port, request, { quietMs: 25_000, timeoutMs: 30_000 })
    expect(answers[0]?.status).toBe(502)
    expect(JSON.parse(answers[0]!.body)).toEqual({
      error: {
        message: 'The provider did not answer in time',
        type: 'server_error',
        param: null,
        code: 'provider_timeout',
      },
    })
    expect(calls[0]?.settled).toEqual([0])
    expect(lines.join('')).toContain('"reason":"timeout","code":"total","attempt":1')
    await left
  })

  it('a stream ends it with one error event and no clean end', async () => {
    const { url, left } = await startDripping(events, chunk(delta('one')))
    const { port, calls } = await runForwarder(url, { ...patient, totalTimeoutMs })
    const client = openStream(port)
    await until(() => client.isComplete())
    const parsed = parseEvents(client.body())
    expect(JSON.parse(parsed.at(-1)!.data)).toMatchObject({ error: { code: 'provider_timeout' } })
    expect(parsed.filter(({ data }) => data.includes('error'))).toHaveLength(1)
    expect(client.body().toString()).not.toContain('[DONE]')
    expect(calls[0]?.settled).toEqual([promptEstimate + parsed.length - 1])
    await left
  })

  it('signs of life, being our own, is given up too, a little later', async () => {
    const { url, left } = await startDripping('', sign)
    const internalSecret = 'a-secret-between-two-services'
    const { port } = await runForwarder(url, { ...patient, totalTimeoutMs, internalSecret })
    const begun = performance.now()
    const { answers } = await sendRaw(port, request, { quietMs: 40_000, timeoutMs: 45_000 })
    expect(answers[0]).toMatchObject({ status: 502, body: expect.stringContaining('provider_timeout') })
    // The gateway waits longer than the service, which ends the call first and reports its cost.
    expect(performance.now() - begun).toBeGreaterThan(totalTimeoutMs + 9_000)
    await left
  })
})

it('once its head says what it is, a plain answer has five minutes, and a stream as long as ever', async () => {
  // A client that is gone is noticed when something is written to it: of a plain answer, not before all of it is there.
  for (const [head, drop, expected] of [
    [json, '1', [300_000]],
    [events, chunk('data: 1\n\n'), []],
  ] as const) {
    const { url, left } = await startDripping(head, drop)
    const begun = performance.now()
    const changes: number[] = []
    const before = (outbound: Outbound) => ({
      open(request: Parameters<Outbound['open']>[0], receiver: Receiver) {
        const call = outbound.open(request, receiver)
        const endBy = (at: number) => void changes.push(at)
        return { abort: () => call.abort(), pause: () => call.pause(), resume: () => call.resume(), endBy }
      },
    })
    const { port, calls } = await runForwarder(url, { ...patient, totalTimeoutMs: 900_000, before })
    const client = openStream(port)
    await until(() => calls.length > 0)
    await new Promise(done => setTimeout(done, 500))
    await until(() => changes.length >= expected.length)
    const rounded = changes.map(at => Math.floor((at - begun) / 100_000) * 100_000)
    expect(rounded).toEqual(expected)
    client.socket.destroy()
    if (head === events) await left
  }
})
