// Who waits for an answer, and until when. Knows neither the question nor the answer.

type Fail = (error: Error) => void

interface Waiting {
  readonly dueAt: number
  readonly fail: Fail
  isOver: boolean
}

/** So many answered ones are taken off the queue together. */
const mostEnded = 1_024

/** One timer for all: each has the same time, so they run out in the order in which they came. */
export function createDeadlines(timeoutMs: number, onLate: (fail: Fail) => void) {
  const queue: Waiting[] = []
  let first = 0
  let count = 0
  let isTimed = false

  function dropEnded(): void {
    while (first < queue.length && queue[first]!.isOver) first++
    if (first === queue.length) queue.length = 0
    else if (first >= mostEnded) queue.splice(0, first)
    else return
    first = 0
  }

  function look(): void {
    isTimed = false
    const now = performance.now()
    for (let at = first; at < queue.length && queue[at]!.dueAt <= now; at++) {
      const { isOver, fail } = queue[at]!
      if (isOver) continue
      queue[at]!.isOver = true
      onLate(fail)
    }
    dropEnded()
    if (first < queue.length) lookIn(queue[first]!.dueAt - now)
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
      queue.push(waiting)
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
