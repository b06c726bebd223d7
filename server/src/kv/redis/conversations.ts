// Ephemeral conversations on Redis.

import { assertCounts } from '../admission-arithmetic.ts'
import { type Conversations, conversationBytes } from '../store.ts'
import type { RedisConnection } from './client/connection.ts'
import { listOf, textOf } from './client/replies.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'

const scanCount = '1000'

export function createRedisConversations(
  connection: RedisConnection,
  keys: RedisKeys,
  clock: () => number | '',
): Conversations {
  return {
    appendTurn: async (key, messages, { keep, ttlSeconds }) => {
      assertCounts(keep, ttlSeconds)
      const args = [clock(), keep, ttlSeconds * 1000, conversationBytes, ...messages]
      await connection.run(scripts.appendTurn, [keys.conversation(key)], args)
    },
    recallTurns: async (key, last, ttlSeconds) => {
      assertCounts(last, ttlSeconds)
      const args = [clock(), last, ttlSeconds * 1000]
      return listOf(await connection.run(scripts.recallTurns, [keys.conversation(key)], args)).map(textOf)
    },
    // Searches all keys, because there is no list of conversations; in steps, so that none blocks the server for long.
    forgetConversations: async start => {
      const pattern = `${escapeGlob(keys.conversation(start))}*`
      let cursor = '0'
      do {
        const [next, found] = listOf(await connection.send('SCAN', cursor, 'MATCH', pattern, 'COUNT', scanCount))
        const names = listOf(found).map(textOf)
        if (names.length > 0) await connection.send('UNLINK', ...names)
        cursor = textOf(next)
      } while (cursor !== '0')
    },
  }
}

/** Makes the installation's prefix and the ids match literally. */
function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]^-]/g, '\\$&')
}
