// The living copies in the process: one, outside of tests. Twin of scripts/announce-copy.lua.
import type { Copies } from './store.ts'
import { assertCounts } from './verdict.ts'

export function createProcessCopies(clock: () => number): Copies {
  const lives = new Map<string, number>()
  return {
    announceCopy: async (copyId, lifeMs) => {
      assertCounts(lifeMs)
      const now = clock()
      lives.set(copyId, now + lifeMs)
      for (const [id, endsAt] of lives) if (endsAt <= now) lives.delete(id)
      return lives.size
    },
  }
}
