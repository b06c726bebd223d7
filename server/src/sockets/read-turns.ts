// Lets connections whose readings cost far more than their bytes wait for their turn: a few of them are read in each turn of
// the event loop, once, so that all others are served in between. The runtime by itself reads up to two megabytes of one
// connection before it looks at the next. Knows no HTTP. One for the process and handed to nobody, as the loop is shared by all.
import type { Socket } from 'node:net'

const maxPerTurn = 4

/** In the order of their readings. */
let waiting: Socket[] = []
let isScheduled = false

/** To be called within a reading: no more is read of the socket until its turn comes. */
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
