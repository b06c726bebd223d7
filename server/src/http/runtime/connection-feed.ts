// Hands a connection over to the runtime's server, and everything that is read of it through a check of its framing: by itself
// the runtime reads a connection where nobody else sees the bytes. Knows no request.
import type { Socket } from 'node:net'
import { waitForTurn } from '../../sockets/read-turns.ts'
import { isReadBySharing, type Reader, readInto } from '../../sockets/shared-read-buffer.ts'
import { RequestFraming } from './request-framing.ts'

/** In one reading. So many cost some twenty times what large ones do. */
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
    // One that the runtime has paused is the runtime's to resume.
    if (this.#framing.chunksRead > manyChunks && !this.#socket.isPaused()) waitForTurn(this.#socket)
  }
}

/**
 * The reader of the connection from here on. `give` has the runtime's server take a connection as if it were new. A socket
 * that cannot be shared the runtime reads unchecked.
 */
export function feedRuntime(socket: Socket, give: (socket: Socket) => void): Reader {
  if (!isReadBySharing(socket)) {
    readInto(socket, { take: ignore })
    give(socket)
    return { take: bytes => void socket.emit('data', bytes) }
  }
  const feed = new RuntimeFeed(socket)
  give(socket)
  // With a listener for its data, the runtime leaves reading to the socket.
  socket.on('data', ignore)
  readInto(socket, feed)
  return feed
}

const ignore = () => undefined
