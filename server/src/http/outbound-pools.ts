// A bounded number of origins' connections, by key; the least recently used idle one makes room. Looks after all of them
// now and then. Knows nothing of policy: an origin is made by whoever asks for it first.
import type { Origin } from './outbound-origin.ts'

export interface Pools {
  get(key: string, make: () => Origin): Origin
  /** Ends all connections; what is under way fails as aborted. */
  close(): void
}

/** How exactly silence is noticed here; who needs it finer keeps time itself. */
const watchMs = 250

export function createPools(maxPools: number): Pools {
  const pools = new Map<string, Origin>()
  const leaving = new Set<Origin>()
  let newest: { key: string; origin: Origin } | null = null

  const timer = setInterval(() => {
    const now = performance.now()
    for (const origin of pools.values()) origin.watch(now)
    for (const origin of leaving) {
      origin.watch(now)
      if (origin.size === 0) leaving.delete(origin)
    }
  }, watchMs)
  timer.unref()

  const makeRoom = () => {
    if (pools.size < maxPools) return
    let victim: [string, Origin] | undefined
    for (const entry of pools) {
      victim ??= entry
      if (entry[1].size > 0) continue
      victim = entry
      break
    }
    if (!victim) return
    const [key, origin] = victim
    pools.delete(key)
    if (newest?.origin === origin) newest = null
    leaving.add(origin)
    origin.close()
  }

  return {
    get(key, make) {
      if (newest?.key === key) return newest.origin
      let origin = pools.get(key)
      if (origin) pools.delete(key)
      else {
        makeRoom()
        origin = make()
      }
      // Re-inserting keeps the map in order of use.
      pools.set(key, origin)
      newest = { key, origin }
      return origin
    },
    close() {
      clearInterval(timer)
      for (const origin of [...pools.values(), ...leaving]) origin.destroy()
      pools.clear()
      leaving.clear()
      newest = null
    },
  }
}
