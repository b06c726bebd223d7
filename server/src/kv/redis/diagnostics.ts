// Diagnostics on Redis: a hash for each hour of a project, from `<kind> <detail>` to `<count> <last seen>`.

import { assertCounts } from '../admission-arithmetic.ts'
import { type Diagnostics, maxDetailsOfHour, otherDetails, sumDiagnostics } from '../diagnostics.ts'
import type { RedisConnection } from './client/connection.ts'
import { listOf, numberOf, textOf } from './client/replies.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'

export function createRedisDiagnostics(
  connection: RedisConnection,
  keys: RedisKeys,
  clock: () => number | '',
): Diagnostics {
  return {
    addDiagnostics: async (projectId, counts) => {
      assertCounts(...counts.map(({ count }) => count))
      const args = counts.flatMap(({ kind, detail, count }) => [`${kind} ${detail}`, `${kind} ${otherDetails}`, count])
      const all = [clock(), maxDetailsOfHour, ...args]
      await connection.run(scripts.addDiagnostics, [keys.diagnostics(projectId)], all)
    },
    findDiagnostics: async projectId => {
      const reply = await connection.run(scripts.findDiagnostics, [keys.diagnostics(projectId)], [clock()])
      const [now, ...fields] = listOf(reply)
      const texts = fields.map(textOf)
      const found = texts.flatMap((name, at) => (at % 2 === 0 ? [{ name, ...readSeen(texts[at + 1] ?? '') }] : []))
      return sumDiagnostics(found, numberOf(now))
    },
  }
}

function readSeen(packed: string): { count: number; lastSeenAt: number } {
  const [count = '', lastSeenAt = ''] = packed.split(' ')
  return { count: Number(count), lastSeenAt: Number(lastSeenAt) }
}
