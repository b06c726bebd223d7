// A way to a server that can be cut and mended, so that one process loses it while others keep it.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface BreakableProxy {
  port: number
  /** Ends every connection, and every new one at once. */
  cut: () => void
  /**
   * Nothing comes through any more and nobody is told: connections stay open. What waits comes through after `mend`.
   */
  swallow: () => void
  /** The server hears all and its answers are lost, until the connections are cut. */
  loseAnswers: () => void
  mend: () => void
  /** Commands come through again; a connection that subscribes is ended, as if it took longer to come back. */
  mendCommands: () => void
}

export async function startProxy(targetPort: number): Promise<BreakableProxy> {
  let isCut = false
  let isSwallowing = false
  let endsSubscribers = false
  /** Each with the one that it is passed on to. */
  const sockets = new Map<Socket, Socket>()
  const upstreams = new Set<Socket>()
  const server = createServer(client => {
    if (isCut) return client.destroy()
    const upstream = connect(targetPort, '127.0.0.1')
    upstreams.add(upstream)
    client.on('data', bytes => {
      if (endsSubscribers && bytes.includes('SUBSCRIBE')) client.destroy()
    })
    upstream.on('close', () => upstreams.delete(upstream))
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.set(from, to)
      if (isSwallowing) from.pause()
      else from.pipe(to)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.on('close', () => sockets.delete(from))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const cut = () => {
    isCut = true
    for (const socket of sockets.keys()) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    port: address.port,
    cut,
    swallow: () => {
      isSwallowing = true
      for (const [from, to] of sockets) from.unpipe(to).pause()
    },
    loseAnswers: () => {
      for (const upstream of upstreams) upstream.unpipe().resume()
    },
    mendCommands: () => {
      isCut = false
      endsSubscribers = true
    },
    mend: () => {
      isCut = false
      endsSubscribers = false
      if (isSwallowing) for (const [from, to] of sockets) from.pipe(to)
      isSwallowing = false
    },
  }
}
