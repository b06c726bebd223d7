// Cached answers on Redis: a string for each, and for all of them the order in which they were kept and their sizes.

import { assertCounts } from '../admission-arithmetic.ts'
import { answerEntryBytes, type CachedAnswers } from '../cached-answers.ts'
import type { RedisConnection } from './client/connection.ts'
import { textOf } from './client/replies.ts'
import { forgetKeys } from './forget-keys.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'

export function createRedisCachedAnswers(
  connection: RedisConnection,
  keys: RedisKeys,
  clock: () => number | '',
  maxBytes: number,
): CachedAnswers {
  return {
    keepAnswer: async (key, answer, ttlSeconds) => {
      assertCounts(ttlSeconds)
      const args = [clock(), answer, ttlSeconds * 1000, maxBytes, answerEntryBytes]
      await connection.run(scripts.keepAnswer, [keys.answer(key), keys.answerOrder, keys.answerSizes], args)
    },
    findAnswer: async key => {
      const found = await connection.run(scripts.findAnswer, [keys.answer(key)], [clock()])
      return found === null ? null : textOf(found)
    },
    // The order and the sizes still name the forgotten answers, until these are the ones that were kept first.
    forgetAnswers: start => forgetKeys(connection, keys.answer(start)),
  }
}
