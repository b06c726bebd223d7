// Owns the connections of the fast lane, and hands those whose next request is not plain, or not complete in time, to
// the runtime's server.
import type { Socket } from 'node:net'
import { readInto } from '../../sockets/shared-read-buffer.ts'
import type { BodyMemory } from '../body-memory.ts'
import { FastLaneConnection, type FastLaneConnectionOwner } from './connection.ts'

export interface FastLaneDependencies {
  serve: FastLaneConnectionOwner['serve']
  isDraining: () => boolean
  now: () => number
  bodies: BodyMemory
  /** Makes the runtime's server accept the connection as if it were new. */
  giveToRuntime: (socket: Socket) => void
  keepAliveTimeoutMs: number
  checkIntervalMs: number
  /** False hands every connection to the runtime's server at once. */
  isOn: boolean
}

export interface FastLane {
  take(socket: Socket): void
  closeIdle(): void
  /** Ends all connections, including those with a response in progress. */
  stop(): void
}

/** Drops what arrives after the runtime has detached its parser: it then answers nothing more on the connection. */
const runtimeReader = { take: () => undefined }
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
    release(connection, unread, hasEnded) {
      const { socket } = connection
      owner.forget(connection)
      readInto(socket, runtimeReader)
      // From here on the runtime's parser reads the connection by itself.
      giveToRuntime(socket)
      for (const bytes of unread) socket.emit('data', bytes)
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
