// A bounded number of connection pools, by key; the least recently used idle one makes room.
// Knows nothing of policy: a pool is made by whoever asks for it first.
import type { Pool } from 'undici'

export interface Pools {
  get(key: string, make: () => Pool): Pool
  /** Ends all connections; what is under way fails as aborted. */
  close(): Promise<void>
}

export function createPools(maxPools: number): Pools {
  const pools = new Map<string, Pool>()
  const leaving = new Set<Pool>()
  let newest: { key: string; pool: Pool } | null = null

  const makeRoom = () => {
    if (pools.size < maxPools) return
    let victim: [string, Pool] | undefined
    for (const entry of pools) {
      victim ??= entry
      if (entry[1].stats.size > 0) continue
      victim = entry
      break
    }
    if (!victim) return
    const [key, pool] = victim
    pools.delete(key)
    leaving.add(pool)
    // Close lets what is under way finish; it rejects only where destroy came first.
    pool.close().then(
      () => leaving.delete(pool),
      () => leaving.delete(pool),
    )
  }

  return {
    get(key, make) {
      if (newest?.key === key) return newest.pool
      let pool = pools.get(key)
      if (pool) pools.delete(key)
      else {
        makeRoom()
        pool = make()
      }
      // Re-inserting keeps the map in order of use.
      pools.set(key, pool)
      newest = { key, pool }
      return pool
    },
    async close() {
      const all = [...pools.values(), ...leaving]
      pools.clear()
      newest = null
      await Promise.all(all.map(pool => pool.destroy()))
    },
  }
}
