// A stream that is far larger than all buffers of sockets and runtimes, with its upstream and its client: for tests of
// back-pressure when a client stops reading.
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Three times the measured size of all buffers between an upstream and a client that has stopped reading. */
export const maxHeldBytes = 24 << 20

export interface Flood {
  /** The number of bytes passed to the runtime. */
  written: number
  isWhole: boolean
  isClosed: boolean
}

interface FloodOptions {
  event: string
  /** At least this many bytes are sent, in whole events. */
  totalBytes: number
  last: string
}

/** Writes the response as fast as the runtime accepts it. */
export function flood(response: ServerResponse, { event, totalBytes, last }: FloodOptions): Flood {
  const state: Flood = { written: 0, isWhole: false, isClosed: false }
  const bytes = Buffer.from(event)
  const more = () => {
    while (state.written < totalBytes && !response.destroyed) {
      state.written += bytes.length
      if (!response.write(bytes)) return
    }
    if (response.writableEnded || response.destroyed) return
    state.isWhole = true
    response.end(last)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.on('drain', more).once('close', () => {
    state.isClosed = true
  })
  more()
  return state
}

export interface CountingReader {
  socket: Socket
  received(): number
  /** Resolves when the last chunk of the response has arrived. */
  whole: Promise<void>
}

/** A client that only counts the bytes it receives. */
export function openCountingReader(port: number, request: string): CountingReader {
  const { promise: whole, resolve } = Promise.withResolvers<void>()
  let received = 0
  let tail = ''
  const socket = connect(port, '127.0.0.1', () => socket.write(request))
  socket.on('error', () => undefined)
  socket.on('data', (bytes: Buffer) => {
    received += bytes.length
    tail = (tail + bytes.subarray(-40).toString('latin1')).slice(-40)
    if (tail.endsWith('data: [DONE]\n\n\r\n0\r\n\r\n')) resolve()
  })
  onTestFinished(() => void socket.destroy())
  return { socket, received: () => received, whole }
}
