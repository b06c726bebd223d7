// Lets sockets read into one memory, each reading handed over before the next: the runtime's own way takes new memory for
// each, a tenth of what a small request costs. One for the process and handed to nobody: no reading outlasts its turn of
// the loop, and a second memory would only be a colder one. Knows no HTTP.
import { Socket, type SocketConstructorOpts } from 'node:net'

export interface Reader {
  /** The bytes are the reader's until it returns; what it wants to keep it copies. */
  take(bytes: Buffer): void
}

const readBy = Symbol('read by')
const isShared = Symbol('is shared')

interface ReadSocket extends Socket {
  [readBy]?: Reader
  [isShared]?: true
}

/** What the runtime keeps to itself of a connection that it accepted. */
interface AcceptedSocket extends Socket {
  _handle?: object | null
  /** Where the connection is counted. */
  _server?: object | null
}

/** As much as the runtime reads at once. */
const memory = Buffer.allocUnsafeSlow(64 * 1024)

/** What a socket is to be opened with. */
export const sharedReading = {
  buffer: memory,
  callback(this: unknown, size: number): boolean {
    const socket = this as ReadSocket
    const reader = socket[readBy]
    // Whoever speaks before it was asked is nobody we know.
    if (reader === undefined) socket.destroy()
    else reader.take(memory.subarray(0, size))
    return true
  },
}

/** A socket that was opened for it hands its readings over from here on. */
export function readInto(socket: Socket, reader: Reader): void {
  ;(socket as ReadSocket)[readBy] = reader
}

/** Whether all that an accepted socket reads goes to its reader, and to nobody else. */
export const isReadBySharing = (socket: ReadSocket): boolean => socket[isShared] === true

/**
 * The same connection as a socket that shares; to be used instead of the one given, of which nothing was read yet. There is
 * no public way to it: where the runtime does not keep a connection as we know it, the socket itself is returned, and read
 * in the usual way.
 */
export function adoptSocket(accepted: Socket, reader: Reader): Socket {
  const { _handle: handle, _server: server }: AcceptedSocket = accepted
  if (!handle || !server) {
    readInto(accepted, reader)
    return accepted.on('data', (bytes: Buffer) => (accepted as ReadSocket)[readBy]?.take(bytes))
  }
  const opening = { handle, allowHalfOpen: accepted.allowHalfOpen, onread: sharedReading }
  const socket: AcceptedSocket & ReadSocket = new Socket(opening as SocketConstructorOpts)
  readInto(socket, reader)
  socket[isShared] = true
  socket._server = server
  return socket
}
