// How many copies of the gateway live, for this one's share of the limits while the store is away. Announces this copy
// regularly; what was last answered stands while the store is silent.
import type { Log } from '../domain/log.ts'
import { type Copies, StoreUnavailable } from '../kv/store.ts'

export interface CopyCount {
  alive(): number
  stop(): Promise<void>
}

const everyMs = 3_000
const lifeMs = 15_000

export function createCopyCount({ kv, id, log }: { kv: Copies; id: string; log: Log }): CopyCount {
  let count = 1
  const announce = async (life: number): Promise<void> => {
    try {
      count = Math.max(1, await kv.announceCopy(id, life))
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) log.error('copy could not be announced', { error })
    }
  }
  void announce(lifeMs)
  const timer = setInterval(() => void announce(lifeMs), everyMs)
  timer.unref()
  return {
    alive: () => count,
    async stop() {
      clearInterval(timer)
      await announce(0)
    },
  }
}
