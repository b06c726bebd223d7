// The event transport as a Redis stream with one consumer group.

import { assertCounts } from '../admission-arithmetic.ts'
import { type EventStream, malformedEvents } from '../event-stream.ts'
import type { RedisConnection } from './client/connection.ts'
import { fieldsOf, listOf, numberOf, textOf } from './client/replies.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'

const group = 'workers'

export function createRedisEvents(
  connection: RedisConnection,
  keys: RedisKeys,
  clock: () => number | '',
  streamLength: number,
): EventStream {
  return {
    emitEvent: async (tenantId, fields, quotaPerMinute) => {
      assertCounts(quotaPerMinute)
      const names = [keys.eventQuota(tenantId), keys.eventDrops, keys.eventCounts, keys.events]
      const args = [clock(), tenantId, quotaPerMinute, streamLength, ...Object.entries(fields).flat()]
      return (await connection.run(scripts.emitEvent, names, args)) === 'stored' ? 'stored' : 'dropped'
    },
    claimEvents: async (consumer, count, idleMs) => {
      assertCounts(count, idleMs)
      if (count === 0) return []
      const names = [keys.eventDrops, keys.eventCounts, keys.events]
      const reply = await connection.run(scripts.claimEvents, names, [group, consumer, count, idleMs])
      return listOf(reply).map(entry => {
        const [id, fields] = listOf(entry)
        return { id: textOf(id), fields: fieldsOf(fields) }
      })
    },
    acknowledgeEvents: async ids => {
      if (ids.length > 0) await connection.send('XACK', keys.events, group, ...ids)
    },
    discardEvents: async ids => {
      if (ids.length === 0) return
      await connection.run(scripts.discardEvents, [keys.eventDrops, keys.events], [group, malformedEvents, ...ids])
    },
    countDrops: async () => {
      const counts = fieldsOf(await connection.send('HGETALL', keys.eventDrops))
      return Object.fromEntries(Object.entries(counts).map(([tenantId, count]) => [tenantId, numberOf(count)]))
    },
  }
}
