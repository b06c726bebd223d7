// Days in UTC, as the API counts them.

const dayMs = 86_400_000

/** In the API's form, such as 2026-01-31. */
export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/**
 * What an address says; undefined if it is no day, which the API would reject. Nor the years that a field has while
 * 2026 is typed into it. `Date` reads February 30 as a day of March.
 */
export function readDay(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^2\d{3}-\d\d-\d\d$/.test(value)) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) || dayOf(time) !== value ? undefined : value
}

/** Inclusive. */
export interface Period {
  from: string
  to: string
}

/** So many days up to this one. */
export function lastDays(count: number, now = Date.now()): Period {
  return { from: dayOf(now - (count - 1) * dayMs), to: dayOf(now) }
}

/** Oldest first; of a longer period its last `max` days. */
export function daysOf({ from, to }: Period, max: number): string[] {
  const days: string[] = []
  for (let at = Date.parse(to); at >= Date.parse(from) && days.length < max; at -= dayMs) days.push(dayOf(at))
  return days.reverse()
}
