// Writes the usage that waited in the store while the database was unavailable.

import type { UsageShelf } from '../kv/usage-shelf.ts'
import { addUsageRows, parseUsageRow } from '../storage/add-usage-rows.ts'
import type { Job } from './job.ts'

const batchRows = 500

export function writeShelvedUsage(shelf: UsageShelf): Job {
  return {
    name: 'write-shelved-usage',
    everyMs: 5_000,
    runsBeforeReady: false,
    async run({ sql, now, log }, signal) {
      let written = 0
      let unreadable = 0
      while (!signal.aborted) {
        const shelved = await shelf.findShelvedUsage(batchRows)
        if (shelved.length === 0) break
        const rows = shelved.flatMap(({ row }) => parseUsageRow(row) ?? [])
        await addUsageRows({ sql, now }, rows)
        await shelf.forgetShelvedUsage(shelved.map(({ requestId }) => requestId))
        written += rows.length
        unreadable += shelved.length - rows.length
      }
      if (written > 0) log.info('shelved usage written to the database', { count: written })
      // Removed anyway: otherwise it would be found again forever and block readable rows.
      if (unreadable > 0) log.error('unreadable shelved usage dropped', { count: unreadable })
    },
  }
}
