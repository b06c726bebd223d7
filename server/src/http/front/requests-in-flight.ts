// Tracks the requests in flight, so that a shutdown can wait for them and finally cut them off.

import type { Duplex } from 'node:stream'
import { createLiveSet } from '../../collections/live-set.ts'
import type { PlaneRequest, PlaneResponse } from '../exchange.ts'

export interface RequestInFlight {
  readonly request: PlaneRequest
  readonly response: PlaneResponse
  readonly cutOffCallbacks: Array<() => void>
}

const latest = Symbol('latest request')

/** Stored on the connection itself: entries of a WeakMap survive collections of young objects. */
interface Connection extends Duplex {
  [latest]?: RequestInFlight | undefined
}

export interface RequestsInFlight {
  /** Tracks the request until its response has closed, then calls `whenClosed`. */
  add(request: PlaneRequest, response: PlaneResponse, whenClosed: () => void): RequestInFlight
  /** The newest request of a connection; with pipelining, the only one whose body can be incomplete. */
  findLatest(socket: Duplex): RequestInFlight | null
  /** Visits each request, so do not call it often. */
  count(): { requests: number; streams: number }
  /** Makes each response whose head is not yet sent close its connection. */
  closeAfterAnswers(): void
  runCutOff(onError: (error: unknown) => void): void
  whenEmpty(): Promise<void>
  /** Waits only for requests that are in flight now. */
  whenPresentOnesEnd(): Promise<void>
}

export function createRequestsInFlight(): RequestsInFlight {
  const open = createLiveSet<RequestInFlight>()
  let waiting: Array<() => void> = []

  return {
    add(request, response, whenClosed) {
      const entry: RequestInFlight = { request, response, cutOffCallbacks: [] }
      const seat = open.add(entry)
      const connection: Connection = request.socket
      connection[latest] = entry
      response.once('close', () => {
        open.remove(seat)
        if (connection[latest] === entry) connection[latest] = undefined
        whenClosed()
        if (open.size > 0) return
        for (const resume of waiting) resume()
        waiting = []
      })
      return entry
    },
    findLatest: (socket: Connection) => socket[latest] ?? null,
    count() {
      const streams = open.members().filter(({ response }) => response.headersSent && isEventStream(response))
      return { requests: open.size, streams: streams.length }
    },
    closeAfterAnswers() {
      for (const { response } of open.members()) if (!response.headersSent) response.setHeader('connection', 'close')
    },
    runCutOff(onError) {
      for (const callback of open.members().flatMap(entry => entry.cutOffCallbacks)) {
        try {
          callback()
        } catch (error) {
          onError(error)
        }
      }
    },
    whenEmpty() {
      return open.size === 0 ? Promise.resolve() : new Promise(resolve => waiting.push(resolve))
    },
    async whenPresentOnesEnd() {
      const ends = open.members().map(({ response }) => new Promise<void>(resolve => response.once('close', resolve)))
      await Promise.all(ends)
    },
  }
}

function isEventStream(response: PlaneResponse): boolean {
  return String(response.getHeader('content-type') ?? '').startsWith('text/event-stream')
}
