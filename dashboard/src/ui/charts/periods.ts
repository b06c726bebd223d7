// The hours or days of a period, each of which has a bar, those without a request, too.
import { dayOf } from '../../api/days.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const maxDaysByHour = 7
/** Longer than requests are kept. */
const maxBars = 400

interface Days {
  from?: string | undefined
  to?: string | undefined
}

/** By the hour, as the sums are: those of all days would be read again and again. */
export const lastDay = (now: number): string => new Date(startOf(now, hourMs) - 23 * hourMs).toISOString()

/** Of a week at most, each hour has a bar. */
export function unitOf({ from, to }: Days, now = Date.now()): 'hour' | 'day' {
  if (from === undefined) return 'hour'
  return Date.parse(to ?? dayOf(now)) - Date.parse(from) < maxDaysByHour * dayMs ? 'hour' : 'day'
}

/** Up to now, or to the end of the last day. Without a first day, a day at least. */
export function fillPeriod<Bucket extends { at: string }>(
  buckets: readonly Bucket[],
  { from, to }: Days,
  { now, empty }: { now: number; empty: Omit<Bucket, 'at'> },
): (Bucket | (Omit<Bucket, 'at'> & { at: string }))[] {
  const unitMs = unitOf({ from, to }, now) === 'hour' ? hourMs : dayMs
  const known = new Map(buckets.map(bucket => [startOf(Date.parse(bucket.at), unitMs), bucket]))
  const end = to === undefined ? now : Math.min(now, Date.parse(to) + dayMs - 1)
  const last = Math.max(startOf(end, unitMs), ...known.keys())
  const first = from === undefined ? Math.min(last - 23 * hourMs, ...known.keys()) : Date.parse(from)
  const count = Math.min(maxBars, Math.max(1, (last - first) / unitMs + 1))
  return Array.from({ length: count }, (_none, index) => {
    const at = last - (count - 1 - index) * unitMs
    return known.get(at) ?? { ...empty, at: new Date(at).toISOString() }
  })
}

const startOf = (at: number, unitMs: number): number => Math.floor(at / unitMs) * unitMs
