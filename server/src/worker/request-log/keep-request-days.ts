// Creates the storage of the next day of the request log before its first row comes, and drops days that no project
// wants any longer, those of content sooner.

import { dayMs } from '../../domain/day.ts'
import { startOfDay } from '../../domain/requests/request-filter.ts'
import { findLongestRetention } from '../../storage/request-log/longest-retention.ts'
import { dayOf, type RequestDays, type RequestLogDays, startOf } from '../../storage/request-log/request-days.ts'
import type { Job } from '../job.ts'

export function keepRequestDays({ requestDays, contentDays }: RequestLogDays): Job {
  return {
    name: 'keep-request-days',
    everyMs: 60 * 60 * 1000,
    runsBeforeReady: false,
    async run({ sql, now, log }, signal) {
      await requestDays.create(dayOf(now() + dayMs))
      const kept = await findLongestRetention(sql, signal)
      if (signal.aborted) return
      const rows = await dropBefore(requestDays, now(), kept.rows)
      const count = rows + (await dropBefore(contentDays, now(), kept.content))
      if (count > 0) log.info('days of the request log dropped', { count })
    },
  }
}

/** Keeps so many days, today included. */
async function dropBefore(days: RequestDays, now: number, kept: number): Promise<number> {
  const first = startOfDay(now) - (kept - 1) * dayMs
  const old = (await days.list()).filter(day => startOf(day) < first)
  for (const day of old) await days.drop(day)
  return old.length
}
