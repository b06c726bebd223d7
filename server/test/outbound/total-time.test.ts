// Upstreams whose bytes never stop coming: a call ends when its whole time is over, in every state that a call can be
// in.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { buildConnector } from 'undici'
import { describe, expect, it } from 'vitest'
import type { Receiver } from '../../src/outbound/call.ts'
import { listener, outboundWith, request, upstream } from './outbound-stage.ts'

const totalMs = 1_000
/** What silence alone is allowed: bytes come far more often, and without a whole time these calls go on for minutes. */
const times = { headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000, guard: 'operator' } as const

/** Sends a byte of a body without end every 20 ms; resolves once its client has left. */
async function startDripping() {
  const left = Promise.withResolvers<void>()
  const port = await upstream((_incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.writeHead(200)
    const timer = setInterval(() => outgoing.write('x'), 20)
    outgoing.once('close', () => {
      clearInterval(timer)
      left.resolve()
    })
  })
  return { url: `http://127.0.0.1:${port}/`, left: left.promise }
}

function openDripping(url: string, endsAt: number | undefined, more: Partial<Receiver> = {}) {
  const { receiver, ...heard } = listener(more)
  const call = outboundWith('').open(
    { ...request(url), ...times, ...(endsAt === undefined ? {} : { endsAt }) },
    receiver,
  )
  return { ...heard, call }
}

describe('a call whose time is over', () => {
  it('ends while bytes come, and its connection with it', async () => {
    const { url, left } = await startDripping()
    const begun = performance.now()
    const { failures, heard, over } = openDripping(url, begun + totalMs)
    await over
    expect(performance.now() - begun).toBeGreaterThanOrEqual(totalMs)
    expect(failures[0]).toMatchObject({ kind: 'timeout', reason: 'total', connected: true })
    expect(heard[1]).toBe('x')
    await left
  })

  it('ends while its receiver has it held', async () => {
    const { url, left } = await startDripping()
    const { failures, heard, over, call } = openDripping(url, performance.now() + totalMs, {
      onResponse: () => call.pause(),
    })
    await over
    expect(failures[0]).toMatchObject({ kind: 'timeout', reason: 'total' })
    expect(heard).toEqual(['timeout'])
    await left
  })

  it('ends while it waits for a connection, and may be tried elsewhere', async () => {
    const build = (() => () => undefined) as unknown as typeof buildConnector
    const { receiver, failures, over } = listener()
    const outbound = outboundWith('', { buildConnector: build })
    outbound.open({ ...request('http://127.0.0.1:9/'), ...times, endsAt: performance.now() + totalMs }, receiver)
    await over
    expect(failures[0]).toMatchObject({ kind: 'timeout', connected: false })
  })

  it('ends sooner where its receiver learns that it has less', async () => {
    const { url, left } = await startDripping()
    const { failures, over, call } = openDripping(url, performance.now() + 3_600_000, {
      onResponse: () => call.endBy(performance.now() + totalMs),
    })
    await over
    expect(failures[0]).toMatchObject({ kind: 'timeout', reason: 'total' })
    await left
  })
})

it('a call without a whole time goes on', async () => {
  const { url } = await startDripping()
  const { heard, call } = openDripping(url, undefined)
  await expect.poll(() => heard.length).toBeGreaterThan(100)
  expect(heard).not.toContain('timeout')
  call.abort()
})
