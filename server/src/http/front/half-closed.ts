// Clients that have closed their half of a connection: such a client may wait for its answer or be gone, which looks alike
// until something is written to it. So characters that its answer will have anyhow are written ahead, one at a time: a client
// that is gone refuses the first, and the next one closes the connection. Knows no request and no reader.
import type { Socket } from 'node:net'
import type { PlaneResponse } from '../exchange.ts'
import type { RequestsInFlight } from './requests-in-flight.ts'

/** How every answer begins, interim ones too. */
const beginning = 'HTTP/1.1 '
/** In front of the size of any chunk it says nothing. */
const chunkBeginning = '0'
const firstDelayMs = 50
const delayGrowth = 4
/** By then more than an hour has passed; a size that begins with more zeros is too long for some. */
const maxProbes = 9

/** To be called once the client has closed its half. */
export function probeHalfClosed(socket: Socket, open: Pick<RequestsInFlight, 'findLatest'>): void {
  const { write } = socket
  let written = 0
  let probes = 0

  function probe(): void {
    const response = open.findLatest(socket)?.response
    if (socket.destroyed || response === undefined) return
    // An answer behind others on its connection is not the next to be written.
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

  /** Of the next write, with which an answer begins. */
  function writeRest(chunk: string | Uint8Array, ...more: unknown[]): boolean {
    const rest = chunk.slice(written)
    written = 0
    socket.write = write
    return Reflect.apply(write, socket, [rest, ...more])
  }

  probe()
}

const isBetweenChunks = (response: PlaneResponse & { isBetweenChunks?: boolean }) => response.isBetweenChunks === true
