// What the address of the usage screen says: the period, the grouping and the end user.
import { dayOf, lastDays, type Period, readDay } from '../../api/days.ts'
import { type GivenSearch, readTexts } from '../../api/search-text.ts'

const groupings = ['day', 'model', 'uid', 'endpoint', 'tier'] as const
export type UsageGrouping = (typeof groupings)[number]

export interface UsageSearch {
  from?: string
  to?: string
  by?: UsageGrouping
  uid?: string
}

const defaultDays = 30

/** Leaves out what is not valid, as a hand-typed address may have it. */
export function readUsageSearch(search: GivenSearch): UsageSearch {
  const by = groupings.find(known => known === search['by'])
  const [from, to] = [readDay(search['from']), readDay(search['to'])]
  return { ...(from && { from }), ...(to && { to }), ...(by && { by }), ...readTexts(search, ['uid']) }
}

/** The last thirty days if the address names no period. */
export function periodOf({ from, to }: UsageSearch, now = Date.now()): Period {
  const last = to ?? dayOf(now)
  return { from: from ?? lastDays(defaultDays, Date.parse(last)).from, to: last }
}

/** What the address of the closed days says. */
export interface ClosedDaysSearch {
  from?: string
  to?: string
  cursor?: string
}

export function readClosedDaysSearch(search: GivenSearch): ClosedDaysSearch {
  const [from, to] = [readDay(search['from']), readDay(search['to'])]
  return { ...(from && { from }), ...(to && { to }), ...readTexts(search, ['cursor']) }
}
