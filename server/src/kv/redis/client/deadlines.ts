// Who waits for an answer, and until when. Knows neither the question nor the answer.
import { RingQueue } from '../../../collections/ring-queue.ts'

type Fail = (error: Error) => void

interface Waiting {
  readonly dueAt: number
  readonly fail: Fail
  isOver: boolean
}

/** One timer for all: each has the same time, so they run out in the order in which they came. */
export function createDeadlines(timeoutMs: number, onLate: (fail: Fail) => void) {
  const line = new RingQueue<Waiting>()
  let count = 0
  let isTimed = false

  function dropEnded(): void {
    while (line.first?.isOver) line.take()
  }

  function look(): void {
    isTimed = false
    const now = performance.now()
    for (let late = line.first; late !== undefined && late.dueAt <= now; late = line.first) {
      late.isOver = true
      dropEnded()
      onLate(late.fail)
    }
    if (line.first !== undefined) lookIn(line.first.dueAt - now)
  }

  function lookIn(ms: number): void {
    isTimed = true
    // What is open keeps the process going, not this. After the sockets have been read once more: a process that was held
    // up may have its answers already.
    setTimeout(() => setImmediate(look), ms).unref()
  }

  return {
    /** How many have no answer yet, late ones among them. */
    count: () => count,
    add(fail: Fail): Waiting {
      const waiting = { dueAt: performance.now() + timeoutMs, fail, isOver: false }
      line.add(waiting)
      count += 1
      if (!isTimed) lookIn(timeoutMs)
      return waiting
    },
    remove(waiting: Waiting): void {
      count -= 1
      waiting.isOver = true
      dropEnded()
    },
  }
}
