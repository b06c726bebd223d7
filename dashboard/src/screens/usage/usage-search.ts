// What the address of the usage screen says: the period, the grouping and the end user. Days are days of UTC, as in
// the API.

const groupings = ['day', 'model', 'uid', 'tier'] as const
export type UsageGrouping = (typeof groupings)[number]

export interface UsageSearch {
  from?: string
  to?: string
  by?: UsageGrouping
  uid?: string
}

const dayMs = 86_400_000
const defaultDays = 30

/** Leaves out what is not valid, as a hand-typed address may have it. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const by = groupings.find(known => known === search['by'])
  const uid = search['uid']
  const isText = typeof uid === 'string' || typeof uid === 'number' || typeof uid === 'boolean'
  return {
    ...dayIn(search, 'from'),
    ...dayIn(search, 'to'),
    ...(by === undefined ? {} : { by }),
    // The router reads numbers and booleans out of the address; an end user may be called so.
    ...(isText && uid !== '' ? { uid: String(uid) } : {}),
  }
}

function dayIn(search: Record<string, unknown>, name: 'from' | 'to'): Pick<UsageSearch, 'from' | 'to'> {
  const value = search[name]
  const time = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN
  // Date.parse takes February 30 for a day of March.
  return !Number.isNaN(time) && dayOf(time) === value ? { [name]: value } : {}
}

export interface Period {
  from: string
  to: string
}

/** The last thirty days if the address names no period. */
export function periodOf({ from, to }: UsageSearch, now = Date.now()): Period {
  const last = to ?? dayOf(now)
  return { from: from ?? lastDays(defaultDays, Date.parse(last)).from, to: last }
}

/** So many days up to this one. */
export function lastDays(count: number, now = Date.now()): Period {
  return { from: dayOf(now - (count - 1) * dayMs), to: dayOf(now) }
}

/** Oldest first; of a longer period its last `max` days. */
export function daysOf({ from, to }: Period, max: number): string[] {
  const days: string[] = []
  for (let at = Date.parse(to); at >= Date.parse(from) && days.length < max; at -= dayMs) days.unshift(dayOf(at))
  return days
}

function dayOf(millis: number): string {
  return new Date(millis).toISOString().slice(0, 10)
}
