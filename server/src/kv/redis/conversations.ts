// Ephemeral conversations on Redis.

import { assertCounts } from '../admission-arithmetic.ts'
import { type Conversations, conversationBytes } from '../store.ts'
import type { RedisConnection } from './client/connection.ts'
import { listOf, textOf } from './client/replies.ts'
import { forgetKeys } from './forget-keys.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'

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
    forgetConversations: start => forgetKeys(connection, keys.conversation(start)),
  }
}
