// Deletes threads that nobody has written to for as long as their project keeps them.

import { deleteExpiredThreads } from '../storage/thread-rows.ts'
import type { Job } from './job.ts'

export const deleteOldThreads: Job = {
  name: 'delete-old-threads',
  everyMs: 5 * 60 * 1000,
  runsBeforeReady: false,
  async run({ sql, now, log }) {
    const count = await deleteExpiredThreads(sql, now())
    if (count > 0) log.info('old threads deleted', { count })
  },
}
