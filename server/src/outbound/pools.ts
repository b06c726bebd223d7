// The origins that hold connections, or calls that wait for one, by key. Looks after all of them now and then: only there
// is what waits for work counted, so that a request pays nothing for the bound. Knows nothing of policy: an origin is made
// by whoever asks for it first.
import type { Origin } from './origin.ts'

export interface Pools {
  get(key: string, make: () => Origin): Origin
  /** Ends all connections; what is under way fails as aborted. */
  close(): void
}

/** How exactly silence is noticed here; who needs it finer keeps time itself. */
const watchMs = 250

/** `mostFree`: of connections that wait for work, over all origins. */
export function createPools(maxFree: number): Pools {
  const origins = new Map<string, Origin>()
  let newest: { key: string; origin: Origin } | null = null

  const timer = setInterval(() => {
    const now = performance.now()
    newest = null
    let free = 0
    for (const [key, origin] of origins) {
      origin.watch(now)
      free += origin.free.length
      if (origin.isEmpty) origins.delete(key)
    }
    if (free > maxFree) dropOldest(origins.values(), free - maxFree)
  }, watchMs)
  timer.unref()

  return {
    get(key, make) {
      if (newest?.key === key) return newest.origin
      let origin = origins.get(key)
      if (origin === undefined) {
        origin = make()
        origins.set(key, origin)
      }
      newest = { key, origin }
      return origin
    },
    close() {
      clearInterval(timer)
      for (const origin of origins.values()) origin.destroy()
      origins.clear()
      newest = null
    },
  }
}

/** Those that have waited longest, whosever they are. */
function dropOldest(origins: Iterable<Origin>, count: number): void {
  const free = [...origins].flatMap(origin => origin.free)
  free.sort((one, other) => one.freeSince - other.freeSince)
  for (const connection of free.slice(0, count)) connection.drop()
}
