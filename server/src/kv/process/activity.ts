// Activity in the process: the projects of each minute. Twin of scripts/add-activity.lua and find-activity.lua.

import { type Activity, activityMinuteMs, activityMinutes } from '../activity.ts'
import { assertCounts } from '../admission-arithmetic.ts'

type Counts = Record<string, number>

/** In one minute; further projects are not counted. About half a kilobyte for each. */
const maxProjects = 2_000

export function createProcessActivity(clock: () => number): Activity {
  const minutes = new Map<number, Map<string, Counts>>()
  const minuteOf = (at: number): number => Math.floor(at / activityMinuteMs)

  function openMinute(number: number): Map<string, Counts> {
    for (const known of minutes.keys()) if (known <= number - activityMinutes) minutes.delete(known)
    const minute = minutes.get(number) ?? new Map<string, Counts>()
    minutes.set(number, minute)
    return minute
  }

  return {
    async addActivity(entries) {
      const minute = openMinute(minuteOf(clock()))
      for (const { projectId, counts } of entries) {
        assertCounts(...Object.values(counts))
        const sums = minute.get(projectId) ?? {}
        for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
        if (minute.size < maxProjects || minute.has(projectId)) minute.set(projectId, sums)
      }
    },
    async findActivity(projectId) {
      const now = clock()
      const found = [...minutes].flatMap(([number, projects]) => {
        const counts = projects.get(projectId)
        const isRecent = number > minuteOf(now) - activityMinutes
        return counts === undefined || !isRecent ? [] : [{ startsAt: number * activityMinuteMs, counts: { ...counts } }]
      })
      return { now, minutes: found.sort((a, b) => a.startsAt - b.startsAt) }
    },
  }
}
