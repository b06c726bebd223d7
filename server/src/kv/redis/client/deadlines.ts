// The deadlines of commands that wait for a reply.
import { RingQueue } from '../../../collections/ring-queue.ts'

type Fail = (error: Error) => void

interface Waiting {
  readonly dueAt: number
  readonly fail: Fail
  isOver: boolean
}

/** One timer for all: each has the same timeout, so they expire in the order in which they were added. */
export function createDeadlines(timeoutMs: number, onLate: (fail: Fail) => void) {
  const line = new RingQueue<Waiting>()
  let count = 0
  let isTimed = false

  function dropEnded(): void {
    while (line.first?.isOver) line.take()
  }

  function check(): void {
    isTimed = false
    const now = performance.now()
    for (let late = line.first; late !== undefined && late.dueAt <= now; late = line.first) {
      late.isOver = true
      dropEnded()
      onLate(late.fail)
    }
    if (line.first !== undefined) checkIn(line.first.dueAt - now)
  }

  function checkIn(ms: number): void {
    isTimed = true
    // Unreferenced: the sockets keep the process running, not this timer. `setImmediate` lets the sockets be read once
    // more before: a process that was blocked may have received the replies already.
    setTimeout(() => setImmediate(check), ms).unref()
  }

  return {
    /** How many have no reply yet, expired ones included. */
    count: () => count,
    add(fail: Fail): Waiting {
      const waiting = { dueAt: performance.now() + timeoutMs, fail, isOver: false }
      line.add(waiting)
      count += 1
      if (!isTimed) checkIn(timeoutMs)
      return waiting
    },
    remove(waiting: Waiting): void {
      count -= 1
      waiting.isOver = true
      dropEnded()
    },
  }
}
