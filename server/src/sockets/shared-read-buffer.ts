// Reads all sockets into one buffer, handing over each read before the next: the runtime's own way allocates a buffer
// for each, a tenth of the cost of a small request. One instance for the process: no read outlasts its turn of the
// loop, and a second buffer would only be colder in the processor's cache.
import { Socket, type SocketConstructorOpts } from 'node:net'

export interface Reader {
  /** The bytes are valid until `take` returns; copy what you keep. */
  take(bytes: Buffer): void
}

const readBy = Symbol('read by')

interface ReadSocket extends Socket {
  [readBy]?: Reader
}

/** Private fields of a connection that the runtime accepted. */
interface AcceptedSocket extends Socket {
  _handle?: object | null
  /** The server that counts the connection. */
  _server?: object | null
}

/** As much as the runtime reads at once. */
const memory = Buffer.allocUnsafeSlow(64 * 1024)

/** Options to open a socket with. */
export const sharedReading = {
  buffer: memory,
  callback(this: unknown, size: number): boolean {
    const socket = this as ReadSocket
    const reader = socket[readBy]
    // Data on a socket without a reader is unexpected, so the connection is closed.
    if (reader === undefined) socket.destroy()
    else reader.take(memory.subarray(0, size))
    return true
  },
}

/** Sets the reader of a socket that was opened with `sharedReading`. */
export function readInto(socket: Socket, reader: Reader): void {
  ;(socket as ReadSocket)[readBy] = reader
}

/** For an open socket that cannot use the shared buffer: passes what it reads to its reader. */
export function passData(socket: Socket): void {
  socket.on('data', (bytes: Buffer) => {
    const reader = (socket as ReadSocket)[readBy]
    if (reader === undefined) socket.destroy()
    else reader.take(bytes)
  })
}

/**
 * Returns the same connection as a socket that reads into the shared buffer. Use it in place of the given
 * socket, from which nothing must have been read yet. There is no public API for this: if the runtime's
 * connection lacks the expected fields, the given socket is returned, which reads in the usual way.
 */
export function adoptSocket(accepted: Socket, reader: Reader): Socket {
  const { _handle: handle, _server: server }: AcceptedSocket = accepted
  if (!handle || !server) {
    readInto(accepted, reader)
    passData(accepted)
    return accepted
  }
  const opening = { handle, allowHalfOpen: accepted.allowHalfOpen, onread: sharedReading }
  const socket: AcceptedSocket & ReadSocket = new Socket(opening as SocketConstructorOpts)
  readInto(socket, reader)
  socket._server = server
  return socket
}
