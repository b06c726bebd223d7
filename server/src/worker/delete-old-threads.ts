// Deletes threads that were not written to for longer than their project's retention.

import { deleteExpiredThreads, findRetention } from '../storage/conversations/thread-rows.ts'
import { inPages } from './in-pages.ts'
import type { Job } from './job.ts'

/** The maximum threads of one transaction, and about the maximum messages: a single thread is always deleted whole. */
const atOnce = { threads: 100, messages: 500 }

export const deleteOldThreads: Job = {
  name: 'delete-old-threads',
  everyMs: 5 * 60 * 1000,
  runsBeforeReady: false,
  async run({ sql, now, log }, signal) {
    const time = now()
    let count = 0
    for (let days = await findRetention(sql, 0); days !== null; days = await findRetention(sql, days)) {
      const retentionDays = days
      await inPages(signal, async () => {
        const deleted = await deleteExpiredThreads(sql, { retentionDays, now: time }, atOnce)
        count += deleted
        return deleted > 0
      })
      if (signal.aborted) break
    }
    if (count > 0) log.info('old threads deleted', { count })
  },
}
