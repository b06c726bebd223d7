// Usage that waits for the database, as a Redis hash by request id: whoever writes the rows may do so twice, and none is
// forgotten that was not named. Knows nothing of what a row says.
import type { RedisConnection } from './redis-connection.ts'
import type { RedisKeys } from './redis-keys.ts'
import { listOf, numberOf, textOf } from './redis-replies.ts'
import { scripts } from './redis-scripts.ts'
import type { UsageShelf } from './store.ts'
import { assertCounts } from './verdict.ts'

export function createRedisUsageShelf(connection: RedisConnection, keys: RedisKeys, mostRows: number): UsageShelf {
  return {
    shelveUsage: async rows => {
      if (rows.length === 0) return 0
      const args = [mostRows, ...rows.flatMap(({ requestId, row }) => [requestId, row])]
      return numberOf(await connection.run(scripts.shelveUsage, [keys.usageShelf], args))
    },
    findShelvedUsage: async count => {
      assertCounts(count)
      if (count === 0) return []
      const reply = await connection.send('HRANDFIELD', keys.usageShelf, String(count), 'WITHVALUES')
      const texts = listOf(reply).flat().map(textOf)
      return texts.flatMap((requestId, index) => (index % 2 === 0 ? [{ requestId, row: texts[index + 1] ?? '' }] : []))
    },
    forgetShelvedUsage: async requestIds => {
      if (requestIds.length > 0) await connection.send('HDEL', keys.usageShelf, ...requestIds)
    },
  }
}
