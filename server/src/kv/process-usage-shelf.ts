// Usage that waits for the database, in the process. Twin of scripts/shelve-usage.lua; knows nothing of what a row says.
import type { UsageShelf } from './store.ts'
import { assertCounts } from './verdict.ts'

export function createProcessUsageShelf(mostRows: number): UsageShelf {
  const rows = new Map<string, string>()
  return {
    shelveUsage: async given => {
      let refused = 0
      for (const { requestId, row } of given) {
        if (rows.size < mostRows || rows.has(requestId)) rows.set(requestId, row)
        else refused += 1
      }
      return refused
    },
    findShelvedUsage: async count => {
      assertCounts(count)
      return [...rows.entries().take(count)].map(([requestId, row]) => ({ requestId, row }))
    },
    forgetShelvedUsage: async requestIds => {
      for (const requestId of requestIds) rows.delete(requestId)
    },
  }
}
