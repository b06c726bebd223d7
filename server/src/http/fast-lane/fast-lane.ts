// Owns the connections of the fast lane, and hands those whose next request is not plain, or not complete in time, to
// the runtime's server.
import type { Socket } from 'node:net'
import type { BodyMemory } from '../body-memory.ts'
import { feedRuntime } from '../runtime/connection-feed.ts'
import { FastLaneConnection, type FastLaneConnectionOwner } from './connection.ts'

export interface FastLaneDependencies {
  serve: FastLaneConnectionOwner['serve']
  isDraining: () => boolean
  now: () => number
  bodies: BodyMemory
  /** Makes the runtime's server accept the connection as if it were new. */
  giveToRuntime: (socket: Socket) => void
  /** The client has closed its half of the connection. */
  endHalf: (socket: Socket) => void
  keepAliveTimeoutMs: number
  checkIntervalMs: number
  /** False hands every connection to the runtime's server at once; its framing is still checked. */
  isOn: boolean
}

export interface FastLane {
  take(socket: Socket): void
  closeIdle(): void
  /** Ends all connections, including those with a response in progress. */
  stop(): void
}

/** How long the rest of a request may take. Clients send the parts of a small request together. */
const waitMs = 100

export function createFastLane(dependencies: FastLaneDependencies): FastLane {
  const { now, giveToRuntime, keepAliveTimeoutMs } = dependencies
  const connections = new Set<FastLaneConnection>()
  const waiting = createWaitingList(now)
  const sweeper = setInterval(
    () => closeIdle(now() - keepAliveTimeoutMs),
    Math.min(dependencies.checkIntervalMs, keepAliveTimeoutMs),
  ).unref()

  const owner: FastLaneConnectionOwner = {
    serve: dependencies.serve,
    isDraining: dependencies.isDraining,
    now,
    bodies: dependencies.bodies,
    keepAliveLines: `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}\r\n`,
    await: waiting.add,
    endHalf: dependencies.endHalf,
    release(connection, unread, hasEnded) {
      const { socket } = connection
      owner.forget(connection)
      const feed = feedRuntime(socket, giveToRuntime)
      socket.on('end', () => dependencies.endHalf(socket))
      for (const bytes of unread) feed.take(bytes)
      if (hasEnded) socket.emit('end')
    },
    forget(connection) {
      connections.delete(connection)
      waiting.remove(connection)
    },
  }

  function closeIdle(since: number) {
    for (const connection of connections) {
      const { idleSince } = connection
      if (idleSince !== null && idleSince <= since && connection.isIdle()) connection.socket.destroy()
    }
  }

  return {
    take(socket) {
      const connection = new FastLaneConnection(socket, owner)
      connections.add(connection)
      if (!dependencies.isOn) connection.giveUp()
    },
    closeIdle: () => closeIdle(Number.POSITIVE_INFINITY),
    stop() {
      clearInterval(sweeper)
      waiting.stop()
      for (const { socket } of connections) socket.destroy()
    },
  }
}

function createWaitingList(now: () => number) {
  const waiting = new Set<FastLaneConnection>()
  let timer: NodeJS.Timeout | null = null

  function tick() {
    timer = null
    const due = now() - waitMs
    for (const connection of waiting) {
      const { waitingSince } = connection
      if (waitingSince === null) waiting.delete(connection)
      else if (waitingSince <= due) connection.giveUp()
    }
    if (waiting.size > 0) timer = setTimeout(tick, waitMs).unref()
  }

  return {
    add(connection: FastLaneConnection) {
      waiting.add(connection)
      timer ??= setTimeout(tick, waitMs).unref()
    },
    remove: (connection: FastLaneConnection) => void waiting.delete(connection),
    stop() {
      if (timer !== null) clearTimeout(timer)
    },
  }
}
