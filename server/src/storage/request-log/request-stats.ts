// Sums requests by minute, hour or day.

import { sql as text } from 'kysely'
import type { RequestFilter } from '../../domain/requests/request-filter.ts'
import { addAllRows, addRequests, wholeHours } from './add-requests.ts'
import { type RequestDays, timeOfId } from './request-days.ts'
import type { RequestSums } from './sums/added-requests.ts'

const hourMs = 3_600_000

interface RequestStats {
  /** Oldest first; `at`: the start of the bucket, epoch ms. */
  buckets: (RequestSums & { at: number })[]
  totals: RequestSums
  /** Older rows of the filter were not read; null if all were. */
  completeFrom: number | null
}

/** By hour and longer, the period begins and ends with an hour. */
export async function sumRequests(days: RequestDays, filter: RequestFilter, bucketMs: number): Promise<RequestStats> {
  const isLong = bucketMs >= hourMs
  const key = text<number>`at / ${text.lit(bucketMs)}`
  const grouping = { key, isSummed: isLong, isOfPrompts: false }
  const { added, last } = await addRequests(days, isLong ? wholeHours(filter) : filter, grouping)
  const ordered = added.show().sort(([a], [b]) => a - b)
  return {
    buckets: ordered.map(([number, sums]) => ({ at: number * bucketMs, ...sums })),
    totals: added.showTotals(),
    completeFrom: last === null ? null : timeOfId(last),
  }
}

/** Of all rows, however many: for what nobody waits for. */
export async function sumAllRows(days: RequestDays, filter: RequestFilter): Promise<RequestSums> {
  return (await addAllRows(days, filter)).showTotals()
}
