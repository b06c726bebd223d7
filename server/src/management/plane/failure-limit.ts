// Bounds how often somebody may be wrong: an attempt is counted before its work and given back when it was right, so
// that parallel guesses cannot slip through. Knows windows and names, not what is guessed.

import { Refusal } from '../../domain/errors.ts'
import type { WindowDemand, Windows } from '../../kv/store.ts'

const waitingMost = 256

export type FailureLimit = <T>(demands: readonly WindowDemand[], attempt: () => Promise<T | null>) => Promise<T | null>

/** Null from the attempt is a failure. One attempt a name at a time: right ones at once must not refuse each other. */
export function createFailureLimit(windows: Windows): FailureLimit {
  const queueUp = createQueues()

  return async (demands, attempt) => {
    const place = queueUp(demands.map(demand => demand.name))
    try {
      await place.turn
      const taken = await windows.take(demands)
      if (!taken.admitted) throw new Refusal('too_many_attempts', { retryAfterSeconds: taken.retryAfterSeconds })
      let isFailure = false
      try {
        const result = await attempt()
        isFailure = result === null
        return result
      } finally {
        // An attempt that broke off said nothing of what was guessed.
        if (!isFailure) await windows.giveBack(taken.receipt)
      }
    } finally {
      place.leave()
    }
  }
}

interface Queue {
  last: Promise<void>
  length: number
}

/** One queue for each name in use. */
function createQueues() {
  const queues = new Map<string, Queue>()

  return (names: readonly string[]) => {
    const ahead = names.map(name => queues.get(name))
    if (ahead.some(queue => (queue?.length ?? 0) >= waitingMost)) throw new Refusal('busy', { retryAfterSeconds: 1 })
    const { promise: last, resolve } = Promise.withResolvers<void>()
    const turn = Promise.all(ahead.map(queue => queue?.last))
    // All names in one step: everybody stands in all queues in the same order, so that no two wait for each other.
    for (const [index, name] of names.entries()) queues.set(name, { last, length: (ahead[index]?.length ?? 0) + 1 })
    return {
      turn,
      leave() {
        resolve()
        for (const name of names) leaveQueue(queues, name)
      },
    }
  }
}

function leaveQueue(queues: Map<string, Queue>, name: string): void {
  const queue = queues.get(name)
  if (queue === undefined) return
  if (queue.length === 1) queues.delete(name)
  else queues.set(name, { ...queue, length: queue.length - 1 })
}
