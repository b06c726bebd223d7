// The living replicas on Redis. Knows how the script is called and answers.

import type { Copies } from './copies.ts'
import type { RedisConnection } from './redis-connection.ts'
import type { RedisKeys } from './redis-keys.ts'
import { listOf, numberOf, textOf } from './redis-replies.ts'
import { scripts } from './redis-scripts.ts'
import type { Change } from './store.ts'
import { assertCounts } from './verdict.ts'

const joined: Change = { kind: 'copies' }

export function createRedisCopies(connection: RedisConnection, keys: RedisKeys, clock: () => number | ''): Copies {
  return {
    announceCopy: async (copyId, lifeMs) => {
      assertCounts(lifeMs)
      const args = [clock(), copyId, lifeMs, keys.changes, JSON.stringify(joined)]
      const [filledAt, ids] = listOf(await connection.run(scripts.announceCopy, [keys.copies, keys.epoch], args))
      return { ids: listOf(ids).map(textOf), filledAt: filledAt === null ? null : numberOf(filledAt) }
    },
    publishRequests: async ({ projectId, userId, count, endsInMs }) => {
      assertCounts(count, endsInMs)
      const change: Change = { kind: 'requests', projectId, userId, count, endsInMs }
      await connection.send('PUBLISH', keys.changes, JSON.stringify(change))
    },
  }
}
