// Keeps the origins that have connections or waiting calls, by key, and checks all of them periodically. Idle
// connections are counted only then, so that a request does not pay for the limit.

import { createTicker } from '../collections/ticker.ts'
import type { Origin } from './origin.ts'

export interface Pools {
  get(key: string, make: () => Origin): Origin
  /** Ends all connections; calls in flight fail as aborted. */
  close(): void
}

/** The precision of timeouts; a caller that needs a finer one uses its own timer. */
const watchMs = 250

/** `maxFree` limits the idle connections of all origins together. */
export function createPools(maxFree: number): Pools {
  const origins = new Map<string, Origin>()
  let newest: { key: string; origin: Origin } | null = null

  const ticker = createTicker(watchMs, () => {
    const now = performance.now()
    newest = null
    let free = 0
    for (const [key, origin] of origins) {
      origin.watch(now)
      free += origin.free.length
      if (origin.isEmpty) origins.delete(key)
    }
    if (free > maxFree) dropOldest(origins.values(), free - maxFree)
    return origins.size > 0
  })

  return {
    get(key, make) {
      if (newest?.key === key) return newest.origin
      let origin = origins.get(key)
      if (origin === undefined) {
        origin = make()
        origins.set(key, origin)
        ticker.start()
      }
      newest = { key, origin }
      return origin
    },
    close() {
      ticker.stop()
      for (const origin of origins.values()) origin.destroy()
      origins.clear()
      newest = null
    },
  }
}

/** Closes the connections that have been idle longest, of any origin. */
function dropOldest(origins: Iterable<Origin>, count: number): void {
  const free = [...origins].flatMap(origin => origin.free)
  free.sort((one, other) => one.freeSince - other.freeSince)
  for (const connection of free.slice(0, count)) connection.drop()
}
