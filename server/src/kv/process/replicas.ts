// The running replicas, as a store in the process knows them: only one, except in tests. Twin of
// scripts/announce-replica.lua.

import { assertCounts } from '../admission-arithmetic.ts'
import type { Replicas } from '../replicas.ts'
import type { StoreChange } from '../store.ts'
import type { ProcessProjection } from './projection.ts'

interface Dependencies {
  clock: () => number
  notify: (change: StoreChange) => void
  filledAt: ProcessProjection['filledAt']
}

export function createProcessReplicas({ clock, notify, filledAt }: Dependencies): Replicas {
  const lives = new Map<string, number>()
  return {
    announceReplica: async (replicaId, lifeMs) => {
      assertCounts(lifeMs)
      const now = clock()
      const isNew = !lives.has(replicaId)
      lives.set(replicaId, now + lifeMs)
      for (const [id, endsAt] of lives) if (endsAt <= now) lives.delete(id)
      if (isNew && lifeMs > 0) notify({ kind: 'replicas' })
      return { ids: [...lives.keys()], filledAt: filledAt() }
    },
    publishRequests: async ({ projectId, userId, count, endsInMs }) => {
      notify({ kind: 'requests', projectId, userId, count, endsInMs })
    },
  }
}
