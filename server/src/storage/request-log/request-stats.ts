// Sums rows of the request log by minute, hour or day. The database counts the rows by range of latency, from which
// percentiles follow.

import { sql as text } from 'kysely'
import type { RequestFilter } from '../../domain/requests/request-filter.ts'
import { middleOfRange } from '../../domain/requests/request-record.ts'
import { matchingRows, measureRead, rangesOf } from './filtered-rows.ts'
import { maxRead } from './list-requests.ts'
import { type RequestDays, timeOfId } from './request-days.ts'

const numbers = [
  'requests',
  'errors',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cost_nanousd',
] as const
type Numbers = Record<(typeof numbers)[number], number>

export interface RequestSums extends Numbers {
  latency_ms: { p50: number; p95: number; p99: number } | null
}

interface RequestStats {
  /** Oldest first; `at`: the start of the bucket, epoch ms. */
  buckets: (RequestSums & { at: number })[]
  totals: RequestSums
  /** Older rows of the filter were not read; null if all were. */
  completeFrom: number | null
}

/** Newest first, and at most as many rows as a list reads. */
export async function sumRequests(days: RequestDays, filter: RequestFilter, bucketMs: number): Promise<RequestStats> {
  const buckets = new Map<number, Sums>()
  const totals = new Sums()
  let completeFrom: number | null = null
  let left = maxRead
  for (const range of await rangesOf(days, filter, null)) {
    const bucket = text<number>`at / ${text.lit(bucketMs)}`
    const groups = await matchingRows(range, filter, left)
      .select(({ fn }) => [
        bucket.as('bucket'),
        'latency_range',
        fn.countAll<number>().as('requests'),
        fn.count<number>('error_code').as('errors'),
        fn.sum<number>('prompt_tokens').as('prompt_tokens'),
        fn.sum<number>('cached_tokens').as('cached_tokens'),
        fn.sum<number>('completion_tokens').as('completion_tokens'),
        fn.sum<number>('reasoning_tokens').as('reasoning_tokens'),
        fn.sum<number>('cost_nanousd').as('cost_nanousd'),
      ])
      .groupBy([bucket, 'latency_range'])
      .execute()
    for (const { bucket: number, latency_range, ...group } of groups) {
      const sums = buckets.get(number) ?? new Sums()
      buckets.set(number, sums)
      for (const each of [sums, totals]) each.add(latency_range, group)
    }
    const { count, last } = await measureRead(range, filter, left)
    left -= count
    if (left <= 0 && last !== null) completeFrom = timeOfId(last)
    if (left <= 0) break
  }
  const ordered = [...buckets].sort(([a], [b]) => a - b)
  return {
    buckets: ordered.map(([number, sums]) => ({ at: number * bucketMs, ...sums.show() })),
    totals: totals.show(),
    completeFrom,
  }
}

class Sums {
  readonly #numbers: Numbers = {
    requests: 0,
    errors: 0,
    prompt_tokens: 0,
    cached_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
    cost_nanousd: 0,
  }
  readonly #ranges = new Map<number, number>()

  add(range: number, group: Numbers): void {
    for (const name of numbers) this.#numbers[name] += group[name]
    this.#ranges.set(range, (this.#ranges.get(range) ?? 0) + group.requests)
  }

  show(): RequestSums {
    const ranges = [...this.#ranges].sort(([a], [b]) => a - b)
    const { requests } = this.#numbers
    const percentile = (share: number): number => {
      let before = 0
      for (const [range, count] of ranges) {
        before += count
        if (before >= share * requests) return Math.round(middleOfRange(range))
      }
      return 0
    }
    const latency = requests === 0 ? null : { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) }
    return { ...this.#numbers, latency_ms: latency }
  }
}
