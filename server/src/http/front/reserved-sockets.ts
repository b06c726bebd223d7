// Reserves sockets on the listener's port for another process of this machine. They do not listen until that process
// does, and once it does, connections stay in their queues when it ends: a successor gets the same sockets.
import type { AddressInfo } from 'node:net'
import * as net from 'node:net'

/** The runtime's own handle of a socket, which can be sent to a child process. */
export interface SocketHandle {
  close(): void
}

/** The constant of the runtime for a port that several sockets share. */
const reusePort = 2

/** The runtime has no public function for a socket that is bound and does not listen; its cluster module uses this. */
type CreateHandle = (address: string, port: number, family: 4 | 6, fd: number, flags: number) => SocketHandle | number
const { _createServerHandle: createHandle } = net as unknown as { _createServerHandle?: CreateHandle }

/** Returns null if this system cannot share a port between processes. */
export function reserveSockets({ address, family, port }: AddressInfo, count: number): SocketHandle[] | null {
  const reserved: SocketHandle[] = []
  for (let left = count; left > 0; left -= 1) {
    const handle = createHandle?.(address, port, family === 'IPv6' ? 6 : 4, -1, reusePort) ?? 0
    if (typeof handle === 'number') {
      for (const made of reserved) made.close()
      return null
    }
    reserved.push(handle)
  }
  return reserved
}
