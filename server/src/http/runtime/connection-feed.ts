// Hands a connection to the runtime's server and passes everything read on it through a check of its framing. By itself
// the runtime reads a connection without showing its bytes.
import type { Socket } from 'node:net'
import { waitForTurn } from '../../sockets/read-turns.ts'
import { type Reader, readInto, usesSharedBuffer } from '../../sockets/shared-read-buffer.ts'
import { RequestFraming } from './request-framing.ts'

/** Chunks in one read. This many cost about twenty times as much as a few large ones. */
const manyChunks = 512

class RuntimeFeed implements Reader {
  readonly #socket: Socket
  readonly #framing = new RequestFraming()

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** The parser copies what it keeps. */
  take(bytes: Buffer): void {
    const given = this.#framing.read(bytes)
    if (given.length > 0) this.#socket.emit('data', given)
    // A socket that the runtime paused must be resumed by the runtime.
    if (this.#framing.chunksRead > manyChunks && !this.#socket.isPaused()) waitForTurn(this.#socket)
  }
}

/**
 * Returns the connection's new reader. `give` makes the runtime's server accept a connection as if it were new. If a
 * socket cannot use the shared buffer, the runtime reads it unchecked.
 */
export function feedRuntime(socket: Socket, give: (socket: Socket) => void): Reader {
  if (!usesSharedBuffer(socket)) {
    readInto(socket, { take: ignore })
    give(socket)
    return { take: bytes => void socket.emit('data', bytes) }
  }
  const feed = new RuntimeFeed(socket)
  give(socket)
  // If the socket has a data listener, the runtime leaves reading to it.
  socket.on('data', ignore)
  readInto(socket, feed)
  return feed
}

const ignore = () => undefined
