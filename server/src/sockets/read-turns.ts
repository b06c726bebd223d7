// Limits connections whose reads cost far more than their bytes: in each turn of the event loop a few of them are read,
// once each, and all other connections are served in between. The runtime by itself reads up to two megabytes of one
// connection before it serves the next. One instance for the process, since the event loop is shared.
import type { Socket } from 'node:net'

const maxPerTurn = 4

/** In the order in which they were paused. */
let waiting: Socket[] = []
let isScheduled = false

/** Call this within a read: the socket is not read again until its turn comes. */
export function waitForTurn(socket: Socket): void {
  socket.pause()
  waiting.push(socket)
  schedule()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(readNext)
}

function readNext(): void {
  isScheduled = false
  for (const socket of waiting.slice(0, maxPerTurn)) socket.resume()
  waiting = waiting.slice(maxPerTurn)
  if (waiting.length > 0) schedule()
}
