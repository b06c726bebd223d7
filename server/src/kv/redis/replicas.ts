// The running replicas, on Redis.

import { assertCounts } from '../admission-arithmetic.ts'
import type { Replicas } from '../replicas.ts'
import type { StoreChange } from '../store.ts'
import type { RedisConnection } from './client/connection.ts'
import { listOf, numberOf, textOf } from './client/replies.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'

const joined: StoreChange = { kind: 'replicas' }

export function createRedisReplicas(connection: RedisConnection, keys: RedisKeys, clock: () => number | ''): Replicas {
  return {
    announceReplica: async (replicaId, lifeMs) => {
      assertCounts(lifeMs)
      const args = [clock(), replicaId, lifeMs, keys.changes, JSON.stringify(joined)]
      const [filledAt, ids] = listOf(await connection.run(scripts.announceReplica, [keys.replicas, keys.epoch], args))
      return { ids: listOf(ids).map(textOf), filledAt: filledAt === null ? null : numberOf(filledAt) }
    },
    publishRequests: async ({ projectId, userId, count, endsInMs }) => {
      assertCounts(count, endsInMs)
      const change: StoreChange = { kind: 'requests', projectId, userId, count, endsInMs }
      await connection.send('PUBLISH', keys.changes, JSON.stringify(change))
    },
  }
}
