// The living copies on Redis. Knows how the script is called and answers.
import type { RedisConnection } from './redis-connection.ts'
import type { RedisKeys } from './redis-keys.ts'
import { numberOf } from './redis-replies.ts'
import { scripts } from './redis-scripts.ts'
import type { Copies } from './store.ts'
import { assertCounts } from './verdict.ts'

export function createRedisCopies(connection: RedisConnection, keys: RedisKeys, clock: () => number | ''): Copies {
  return {
    announceCopy: async (copyId, lifeMs) => {
      assertCounts(lifeMs)
      return numberOf(await connection.run(scripts.announceCopy, [keys.copies], [clock(), copyId, lifeMs]))
    },
  }
}
