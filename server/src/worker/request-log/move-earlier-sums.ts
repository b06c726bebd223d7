// Moves the sums that replicas of an earlier version write to where this version reads them.

import type { RequestLogDays } from '../../storage/request-log/request-days.ts'
import { moveEarlierSums } from '../../storage/request-log/sums/move-earlier-sums.ts'
import type { Job } from '../job.ts'

export function moveSumsOfEarlierReplicas({ requestDays }: RequestLogDays): Job {
  return {
    name: 'move-earlier-sums',
    everyMs: 60 * 1000,
    runsBeforeReady: false,
    async run(_tools, signal) {
      // SQLite has one process, which moves them when it opens the file of a day.
      if (requestDays.dialect === 'postgres') await moveEarlierSums(requestDays, signal)
    },
  }
}
