// Usage rows that wait for the database, in a Redis hash by request id. Reading a row does not remove it, so a row may
// be read twice.

import { assertCounts } from '../admission-arithmetic.ts'
import type { UsageShelf } from '../usage-shelf.ts'
import type { RedisConnection } from './client/connection.ts'
import { listOf, numberOf, textOf } from './client/replies.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'

export function createRedisUsageShelf(connection: RedisConnection, keys: RedisKeys, maxRows: number): UsageShelf {
  return {
    shelveUsage: async rows => {
      if (rows.length === 0) return 0
      const args = [maxRows, ...rows.flatMap(({ requestId, row }) => [requestId, row])]
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
