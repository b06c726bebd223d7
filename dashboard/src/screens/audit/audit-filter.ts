// The filter of the audit in the address of its screen. Values that the API would reject are left out.
import { readDay } from '../../api/days.ts'
import { type GivenSearch, readTexts } from '../../api/search-text.ts'

export interface AuditFilter {
  action?: string
  actor?: string
  target?: string
  outcome?: 'done' | 'refused'
  /** Days in UTC; the second one is included. */
  from?: string
  to?: string
  cursor?: string
}

const dayMs = 24 * 60 * 60 * 1000

export function readAuditFilter(search: GivenSearch): AuditFilter {
  const { outcome, ...texts } = readTexts(search, ['action', 'actor', 'target', 'outcome', 'cursor'])
  const [from, to] = [readDay(search['from']), readDay(search['to'])]
  const isOutcome = outcome === 'done' || outcome === 'refused'
  return { ...texts, ...(isOutcome && { outcome }), ...(from && { from }), ...(to && { to }) }
}

/** As the API takes it: there the end is a time that is not included. */
export function toQuery({ to, ...filter }: AuditFilter): Record<string, string> {
  if (to === undefined) return filter
  return { ...filter, to: new Date(Date.parse(to) + dayMs).toISOString() }
}
