// Probes clients that have closed their half of a connection: such a client may be waiting for its response or be gone,
// which looks the same until something is written. Therefore characters that the response contains anyway are written
// ahead, one at a time: a client that is gone rejects the first, and writing the next closes the connection.
import type { Socket } from 'node:net'
import type { PlaneResponse } from '../exchange.ts'
import type { RequestsInFlight } from './requests-in-flight.ts'

/** The first characters of every response, interim ones included. */
const beginning = 'HTTP/1.1 '
/** Leading zeros do not change a chunk size. */
const chunkBeginning = '0'
const firstDelayMs = 50
const delayGrowth = 4
/** Nine probes take more than an hour; some clients do not accept a size with more zeros. */
const maxProbes = 9

/** Call this when the client has closed its half. */
export function probeHalfClosed(socket: Socket, open: Pick<RequestsInFlight, 'findLatest'>): void {
  const { write } = socket
  let written = 0
  let probes = 0

  function probe(): void {
    const response = open.findLatest(socket)?.response
    if (socket.destroyed || response === undefined) return
    // A pipelined response is not the next one to be written.
    if (response.socket === socket) writeAhead(response)
    if (++probes < maxProbes) setTimeout(probe, firstDelayMs * delayGrowth ** (probes - 1)).unref()
  }

  function writeAhead(response: PlaneResponse): void {
    if (!response.headersSent) {
      if (written === 0) socket.write = writeRest
      write.call(socket, beginning.charAt(written), 'latin1')
      written++
    } else if (isBetweenChunks(response)) write.call(socket, chunkBeginning, 'latin1')
  }

  /** Replaces the next write, with which a response begins. */
  function writeRest(chunk: string | Uint8Array, ...more: unknown[]): boolean {
    const rest = chunk.slice(written)
    written = 0
    socket.write = write
    return Reflect.apply(write, socket, [rest, ...more])
  }

  probe()
}

const isBetweenChunks = (response: PlaneResponse & { isBetweenChunks?: boolean }) => response.isBetweenChunks === true
