// Limits failed attempts. An attempt is counted before its work and given back if it succeeds, so that parallel guesses
// cannot exceed the limit.

import { Refusal } from '../../domain/errors.ts'
import type { WindowDemand, Windows } from '../../kv/store.ts'

const maxWaiting = 256

export type FailureLimit = <T>(demands: readonly WindowDemand[], attempt: () => Promise<T | null>) => Promise<T | null>

/**
 * An attempt fails if it resolves to null. Attempts with the same name run one at a time, so that concurrent successful
 * ones do not exceed the limit.
 */
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
        // An attempt that throws reveals nothing about the guess, so it does not count.
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
    if (ahead.some(queue => (queue?.length ?? 0) >= maxWaiting)) throw new Refusal('busy', { retryAfterSeconds: 1 })
    const { promise: last, resolve } = Promise.withResolvers<void>()
    const turn = Promise.all(ahead.map(queue => queue?.last))
    // Joins the queues of all names at once: attempts have the same order in every queue, so there is no deadlock.
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
