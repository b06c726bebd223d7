// More listening sockets on the listener's port. The runtime accepts one connection of each listening socket in a turn
// of the event loop, so with one socket, clients that connect together to a busy process wait for many turns. The
// system spreads new connections over the sockets.

import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { SocketHandle } from './reserved-sockets.ts'

/** Fewer leave clients waiting for longer; each costs a file descriptor. */
export const socketCount = 16
/** The system lowers it to its own limit. */
const backlog = 4_096

export interface ListeningSockets {
  listen(port: number, host: string): Promise<AddressInfo>
  /** Listens on sockets that another process has reserved. */
  listenOn(reserved: readonly SocketHandle[]): Promise<AddressInfo>
  /** Also accepts the connections of these sockets, until the returned function is called. It closes them. */
  acceptFrom(reserved: readonly SocketHandle[]): Promise<() => void>
  /** Accepts no more connections; resolves when the accepted ones have ended. */
  close(): Promise<void>
}

/** `first` is one of the `count` sockets, and handles the connections of all. */
export function createListeningSockets(first: NetServer, count = socketCount): ListeningSockets {
  const others = new Set<NetServer>()
  let closing: Promise<unknown> | null = null

  async function listen(port: number, host: string): Promise<AddressInfo> {
    await refuseTakenPort(port, host)
    const isShared = await listenShared(first, port, host)
    const address = first.address() as AddressInfo
    while (isShared && others.size < count - 1) {
      await listenOn(addServer(), { port: address.port, host, reusePort: true })
    }
    return address
  }

  async function listenOnReserved(reserved: readonly SocketHandle[]): Promise<AddressInfo> {
    const [own, ...others] = reserved
    if (own === undefined) throw new Error('no socket to listen on')
    await listenOn(first, own)
    for (const handle of others) await listenOn(addServer(), handle)
    return first.address() as AddressInfo
  }

  async function acceptFrom(reserved: readonly SocketHandle[]): Promise<() => void> {
    const added = reserved.map(addServer)
    await Promise.all(reserved.map((handle, at) => listenOn(added[at] as NetServer, handle)))
    return () => {
      for (const server of added) {
        others.delete(server)
        void end(server)
      }
    }
  }

  function addServer(): NetServer {
    const added = new NetServer({ allowHalfOpen: true, noDelay: true }, socket => handOver(socket, first))
    others.add(added)
    return added
  }

  return {
    listen,
    listenOn: listenOnReserved,
    acceptFrom,
    async close() {
      closing ??= Promise.all([first, ...others].map(end))
      await closing
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

function listenOn(server: NetServer, place: Place | SocketHandle): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const hasBegun = (): void => {
      server.off('error', reject)
      resolve()
    }
    if ('port' in place) server.listen({ ...place, backlog }, hasBegun)
    else server.listen(place, backlog, hasBegun)
  })
}

function handOver(socket: Socket, server: NetServer): void {
  server.emit('connection', socket)
}

/** Not the method of an HTTP server, which would end idle connections at once. */
function end(server: NetServer): Promise<void> {
  return new Promise(resolve => NetServer.prototype.close.call(server, () => resolve()))
}
