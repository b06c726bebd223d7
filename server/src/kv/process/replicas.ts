// The running replicas, as a store in the process knows them: only one, except in tests. Twin of
// scripts/announce-copy.lua.

import { assertCounts } from '../admission-arithmetic.ts'
import type { Replicas } from '../replicas.ts'
import type { StoreChange } from '../store.ts'
import type { ProcessProjection } from './projection.ts'

interface Parts {
  clock: () => number
  tell: (change: StoreChange) => void
  filledAt: ProcessProjection['filledAt']
}

export function createProcessReplicas({ clock, tell, filledAt }: Parts): Replicas {
  const lives = new Map<string, number>()
  return {
    announceCopy: async (copyId, lifeMs) => {
      assertCounts(lifeMs)
      const now = clock()
      const isNew = !lives.has(copyId)
      lives.set(copyId, now + lifeMs)
      for (const [id, endsAt] of lives) if (endsAt <= now) lives.delete(id)
      if (isNew && lifeMs > 0) tell({ kind: 'copies' })
      return { ids: [...lives.keys()], filledAt: filledAt() }
    },
    publishRequests: async ({ projectId, userId, count, endsInMs }) => {
      tell({ kind: 'requests', projectId, userId, count, endsInMs })
    },
  }
}
