// A stream far larger than everything that sockets and runtimes hold back, its upstream's end and its client's: for what
// a reader that stands still makes the upstream do. Knows no format.
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Three times what sockets and runtimes were seen to hold between an upstream and a client that stands still. */
export const maxHeldBytes = 24 << 20

export interface Flood {
  /** So many bytes were handed to the runtime. */
  written: number
  isWhole: boolean
  isClosed: boolean
}

interface FloodOptions {
  event: string
  /** In whole events. */
  totalBytes: number
  last: string
}

/** Writes the answer as fast as it is taken. */
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
  /** Once the last chunk of its answer came. */
  whole: Promise<void>
}

/** A client that keeps nothing but how much came. */
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
