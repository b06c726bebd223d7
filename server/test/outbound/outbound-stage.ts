// The set-up of the outbound tests: a client, name servers and upstreams that end with their test, and one request with
// a secret in every place a caller may put one.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Server as NetServer, Socket } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import type { Receiver } from '../../src/outbound/call.ts'
import { OutboundFailure } from '../../src/outbound/failure.ts'
import { createOutbound, type Outbound, type SmallRequest } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { listen, type NameServer, startNameServer, type Zone } from './fixtures.ts'

export const secret = 'sk-canary-7f3a9b'
const headers = { authorization: `Bearer ${secret}`, 'x-api-key': secret, 'x-goog-api-key': secret }

/** The lines of the current test. */
export const logged: string[] = []
const log = { warn: (event: string, fields?: object) => logged.push(JSON.stringify([event, fields])) }

type Options = Partial<Parameters<typeof createOutbound>[0]>

export function outboundWith(allow: string, options: Options = {}): Outbound {
  const outbound = createOutbound({ allow: parseOutboundAllow(allow), log, ...options })
  onTestFinished(async () => {
    logged.length = 0
    await outbound.close()
  })
  return outbound
}

export async function zone(answers: Zone): Promise<NameServer> {
  const server = await startNameServer(answers)
  onTestFinished(() => server.stop())
  return server
}

export async function serve<T extends Server | NetServer>(server: T): Promise<number> {
  const sockets = new Set<Socket>()
  const track = (socket: Socket) => sockets.add(socket.on('error', () => undefined))
  server.on('connection', track)
  const port = await listen(server)
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise(resolve => server.close(resolve))
  })
  return port
}

export const upstream = (listener: RequestListener) => serve(createServer(listener))

export const request = (url: string, more: Partial<SmallRequest> = {}): SmallRequest => ({
  url,
  method: 'POST',
  headers,
  body: `{"key":"${secret}"}`,
  guard: 'tenant',
  timeoutMs: 10_000,
  maxBytes: 65_536,
  ...more,
})

/** The failure of a promise that must fail, sure to tell no secret. */
export async function failureOf(promise: Promise<unknown>): Promise<OutboundFailure> {
  const error = await promise.then(
    () => expect.fail('succeeded'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof OutboundFailure)) throw error
  expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)} ${logged}`).not.toContain(secret)
  return error
}

/** Notes what a receiver hears, in order. */
export function listener(more: Partial<Receiver> = {}) {
  const heard: string[] = []
  const failures: OutboundFailure[] = []
  const over = Promise.withResolvers<void>()
  const receiver: Receiver = {
    onResponse: status => void heard.push(String(status)),
    onData: chunk => void heard.push(chunk.toString()),
    onEnd() {
      heard.push('end')
      over.resolve()
    },
    onFailure(failure) {
      heard.push(failure.kind)
      failures.push(failure)
      over.resolve()
    },
    ...more,
  }
  return { receiver, heard, failures, over: over.promise }
}
