// More listening sockets on the listener's port. The runtime accepts one connection of each listening socket in a turn
// of the event loop, so with one socket, clients that connect together to a busy process wait for many turns. The
// system spreads new connections over the sockets.

import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'

/** Fewer leave clients waiting for longer; each costs a file descriptor. */
const socketCount = 16
/** The system lowers it to its own limit. */
const backlog = 4_096

export interface ListeningSockets {
  listen(port: number, host: string): Promise<AddressInfo>
  /** Accepts no more connections; resolves when the accepted ones have ended. */
  close(): Promise<void>
}

/** `first` is one of the sockets, and handles the connections of all. */
export function createListeningSockets(first: NetServer): ListeningSockets {
  const others: NetServer[] = []

  async function listen(port: number, host: string): Promise<AddressInfo> {
    await refuseTakenPort(port, host)
    const isShared = await listenShared(first, port, host)
    const address = first.address() as AddressInfo
    while (isShared && others.length < socketCount - 1) {
      const other = new NetServer({ allowHalfOpen: true, noDelay: true }, socket => handOver(socket, first))
      others.push(other)
      await listenOn(other, { port: address.port, host, reusePort: true })
    }
    return address
  }

  return {
    listen,
    async close() {
      await Promise.all([first, ...others].map(end))
    },
  }
}

/** A socket that shares its port would also share that of another process which does the same. */
async function refuseTakenPort(port: number, host: string): Promise<void> {
  const probe = new NetServer()
  await listenOn(probe, { port, host })
  await end(probe)
}

/** Returns false if this system cannot share a port: then there is one socket. */
async function listenShared(server: NetServer, port: number, host: string): Promise<boolean> {
  try {
    await listenOn(server, { port, host, reusePort: true })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTSUP') throw error
    await listenOn(server, { port, host })
    return false
  }
}

interface Place {
  port: number
  host: string
  reusePort?: true
}

function listenOn(server: NetServer, place: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...place, backlog }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function handOver(socket: Socket, server: NetServer): void {
  server.emit('connection', socket)
}

/** Not the method of an HTTP server, which would end idle connections at once. */
function end(server: NetServer): Promise<void> {
  return new Promise(resolve => NetServer.prototype.close.call(server, () => resolve()))
}
