// Builds the entries by which exports and erasures find a project's rows in tables that grow with each request.

import { buildEntries } from '../storage/late-index/build.ts'
import { builtAfterMs, lateIndexes } from '../storage/late-index/late-index.ts'
import { inPages } from './in-pages.ts'
import type { Job } from './job.ts'

/** The more rows, the more of them share a page of the index; statements of others wait for these. */
const rowsAtOnce = 10_000

export const buildLateIndexes: Job = {
  name: 'build-late-indexes',
  everyMs: 10 * 60 * 1000,
  runsBeforeReady: false,
  async run({ sql, now }, signal) {
    for (const index of lateIndexes) {
      await inPages(signal, () => buildEntries(sql, index, now() - builtAfterMs, rowsAtOnce))
    }
  },
}
