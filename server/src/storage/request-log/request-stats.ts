// Sums requests by minute, hour or day: from the sums of hours, or from the rows where those do not have what is asked
// for. The database counts by range of latency, from which percentiles follow.

import { sql as text } from 'kysely'
import type { RequestFilter } from '../../domain/requests/request-filter.ts'
import { middleOfRange } from '../../domain/requests/request-record.ts'
import { isSummed, matchingRows, matchingSums, measureRead, rangesOf } from './filtered-rows.ts'
import { maxRead } from './list-requests.ts'
import { type RequestDays, timeOfId } from './request-days.ts'

const hourMs = 3_600_000

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

/** By hour and longer, the period begins and ends with an hour. */
export async function sumRequests(days: RequestDays, filter: RequestFilter, bucketMs: number): Promise<RequestStats> {
  const isLong = bucketMs >= hourMs
  const asked = isLong ? wholeHours(filter) : filter
  return isLong && isSummed(asked) ? await addSums(days, asked, bucketMs) : await addRows(days, asked, bucketMs)
}

function wholeHours(filter: RequestFilter): RequestFilter {
  const from = Math.floor(filter.from / hourMs) * hourMs
  return { ...filter, from, to: (Math.floor(filter.to / hourMs) + 1) * hourMs - 1 }
}

/** From the sums of hours: complete, however many rows there are. */
async function addSums(days: RequestDays, filter: RequestFilter, bucketMs: number): Promise<RequestStats> {
  const stats = new Stats(bucketMs)
  for (const range of await rangesOf(days, filter, null)) {
    const bucket = text<number>`at / ${text.lit(bucketMs)}`
    const groups = await matchingSums(range, filter)
      .select(({ fn }) => [
        bucket.as('bucket'),
        'latency_range',
        fn.sum<number>('requests').as('requests'),
        text<number>`sum(case when error_code <> '' then requests else 0 end)`.as('errors'),
        fn.sum<number>('prompt_tokens').as('prompt_tokens'),
        fn.sum<number>('cached_tokens').as('cached_tokens'),
        fn.sum<number>('completion_tokens').as('completion_tokens'),
        fn.sum<number>('reasoning_tokens').as('reasoning_tokens'),
        fn.sum<number>('cost_nanousd').as('cost_nanousd'),
      ])
      .groupBy([bucket, 'latency_range'])
      .execute()
    stats.add(groups)
  }
  return stats.show(null)
}

/** From the rows, the newest first, and at most as many as a list reads. */
async function addRows(days: RequestDays, filter: RequestFilter, bucketMs: number): Promise<RequestStats> {
  const stats = new Stats(bucketMs)
  const last = await readRows(days, filter, { stats, bucketMs, before: null })
  return stats.show(last === null ? null : timeOfId(last))
}

/** Of all rows, however many: for what nobody waits for. */
export async function sumAllRows(days: RequestDays, filter: RequestFilter): Promise<RequestSums> {
  const stats = new Stats(hourMs)
  let before: string | null = null
  do before = await readRows(days, filter, { stats, bucketMs: hourMs, before })
  while (before !== null)
  return stats.show(null).totals
}

interface Reading {
  stats: Stats
  bucketMs: number
  before: string | null
}

/** Adds as many rows as a list reads, before the row with the id `before`. Returns the last id if there may be more. */
async function readRows(days: RequestDays, filter: RequestFilter, reading: Reading): Promise<string | null> {
  const { stats, bucketMs, before } = reading
  let left = maxRead
  for (const range of await rangesOf(days, filter, before)) {
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
    stats.add(groups)
    const { count, last } = await measureRead(range, filter, left)
    left -= count
    if (left <= 0) return last
  }
  return null
}

/** The time below which a share of the newest rows, as many as a list reads, had their first token; null for none. */
export async function findFirstTokenMs(
  days: RequestDays,
  filter: RequestFilter,
  share: number,
): Promise<number | null> {
  const counts = new Map<number, number>()
  for (const range of await rangesOf(days, filter, null)) {
    const rows = await matchingRows(range, filter, maxRead)
      .select(['first_token_ms', ({ fn }) => fn.countAll<number>().as('count')])
      .where('first_token_ms', 'is not', null)
      .groupBy('first_token_ms')
      .execute()
    for (const { first_token_ms: ms, count } of rows) if (ms !== null) counts.set(ms, (counts.get(ms) ?? 0) + count)
  }
  let left = share * counts.values().reduce((sum, count) => sum + count, 0)
  for (const [ms, count] of [...counts].sort(([a], [b]) => a - b)) {
    left -= count
    if (left <= 0) return ms
  }
  return null
}

interface Group extends Numbers {
  bucket: number
  latency_range: number
}

class Stats {
  readonly #bucketMs: number
  readonly #buckets = new Map<number, Sums>()
  readonly #totals = new Sums()

  constructor(bucketMs: number) {
    this.#bucketMs = bucketMs
  }

  add(groups: readonly Group[]): void {
    for (const { bucket, latency_range, ...group } of groups) {
      const sums = this.#buckets.get(bucket) ?? new Sums()
      this.#buckets.set(bucket, sums)
      for (const each of [sums, this.#totals]) each.add(latency_range, group)
    }
  }

  show(completeFrom: number | null): RequestStats {
    const ordered = [...this.#buckets].sort(([a], [b]) => a - b)
    return {
      buckets: ordered.map(([number, sums]) => ({ at: number * this.#bucketMs, ...sums.show() })),
      totals: this.#totals.show(),
      completeFrom,
    }
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
