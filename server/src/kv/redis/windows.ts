// Fixed windows on Redis.

import { assertCounts, secondsUntil } from '../admission-arithmetic.ts'
import type { WindowReceipt, Windows } from '../store.ts'
import type { RedisConnection } from './client/connection.ts'
import { listOf, numberOf } from './client/replies.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'

export function createRedisWindows(connection: RedisConnection, keys: RedisKeys, clock: () => number | ''): Windows {
  return {
    take: async demands => {
      assertCounts(...demands.flatMap(demand => [demand.limit, demand.windowSeconds]))
      const names = demands.map(demand => keys.window(demand.name))
      const args = demands.flatMap(demand => [demand.limit, demand.windowSeconds * 1000])
      const reply = listOf(await connection.run(scripts.takeWindows, names, [clock(), ...args])).map(numberOf)
      const [refused = 0, now = 0, ...windows] = reply
      const refusing = demands[refused - 1]
      if (refusing) {
        return { admitted: false, name: refusing.name, retryAfterSeconds: secondsUntil(windows[0] ?? 0, now) }
      }
      return { admitted: true, receipt: demands.map(({ name }, i) => readWindow(name, windows, i)) }
    },
    giveBack: async receipt => {
      const names = receipt.map(({ name }) => keys.window(name))
      await connection.run(scripts.giveBackWindows, names, [clock(), ...receipt.map(({ endsAt }) => endsAt)])
    },
  }
}

/** The reply has an end and a count for each window. */
function readWindow(name: string, windows: readonly number[], index: number): WindowReceipt[number] {
  return { name, endsAt: windows[2 * index] ?? 0, count: windows[2 * index + 1] ?? 0 }
}
