// Activity on Redis: a hash for each minute of a project, from name to count.

import { type Activity, type ActivityMinute, activityMinuteMs, type ProjectActivity } from '../activity.ts'
import { assertCounts } from '../admission-arithmetic.ts'
import type { RedisConnection } from './client/connection.ts'
import { listOf, numberOf, textOf } from './client/replies.ts'
import type { RedisKeys } from './keys.ts'
import { scripts } from './scripts.ts'

/** A script blocks the server for all others. */
const projectsAtOnce = 50

export function createRedisActivity(connection: RedisConnection, keys: RedisKeys, clock: () => number | ''): Activity {
  async function add(entries: readonly ProjectActivity[]): Promise<void> {
    const args = entries.flatMap(({ counts }) => {
      const pairs = Object.entries(counts)
      return [pairs.length, ...pairs.flat()]
    })
    const asked = entries.map(({ projectId }) => keys.activity(projectId))
    await connection.run(scripts.addActivity, asked, [clock(), ...args])
  }

  return {
    async addActivity(entries) {
      for (const { counts } of entries) assertCounts(...Object.values(counts))
      for (let at = 0; at < entries.length; at += projectsAtOnce) await add(entries.slice(at, at + projectsAtOnce))
    },
    async findActivity(projectId) {
      const reply = await connection.run(scripts.findActivity, [keys.activity(projectId)], [clock()])
      const [now, ...found] = listOf(reply)
      return { now: numberOf(now), minutes: found.map(readMinute) }
    },
  }
}

/** The number of the minute, then names and counts in turn. */
function readMinute(reply: Parameters<typeof listOf>[0]): ActivityMinute {
  const [number, ...pairs] = listOf(reply)
  const counts: Record<string, number> = {}
  for (let at = 0; at < pairs.length; at += 2) counts[textOf(pairs[at])] = Number(textOf(pairs[at + 1]))
  return { startsAt: numberOf(number) * activityMinuteMs, counts }
}
