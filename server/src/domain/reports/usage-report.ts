// Parses usage queries and renders usage reports, for project hosts and the dashboard alike.

import { getPage, type Page } from '../cursor.ts'
import { Refusal } from '../errors.ts'

export const usageGroupings = ['day', 'model', 'uid', 'endpoint'] as const
export const operatorGroupings = ['tenant', 'day', 'model', 'endpoint'] as const
type Grouping = (typeof usageGroupings)[number]

export interface UsageQuery<G extends string = Grouping> {
  from: string | null
  to: string | null
  grouping: G
  /** The cursor is a value of the grouping. */
  page: Page<[string]>
}

interface Sum {
  day: string | null
  model: string | null
  user_id: string | null
  endpoint: string | null
  requests: number
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  cost_nanousd: number
}

export function readUsageQuery(query: Record<string, unknown>, projectId: string): UsageQuery {
  return readUsageQueryOf(query, projectId, usageGroupings)
}

/** The first grouping is the default. */
export function readUsageQueryOf<const G extends string>(
  query: Record<string, unknown>,
  whose: string,
  groupings: readonly G[],
): UsageQuery<G> {
  const wanted = query['group_by'] ?? groupings[0]
  const grouping = groupings.find(known => known === wanted)
  if (grouping === undefined) return refuse('group_by', `group_by must be one of: ${groupings.join(', ')}`)
  const { from, to } = readDays(query)
  // The grouping is part of the list: a cursor of days is invalid in a list of models.
  const page = getPage(query, { list: ['usage', whose, grouping], key: ['string'] })
  return { from, to, grouping, page }
}

/** Null means no bound. */
export function readDays(query: Record<string, unknown>): { from: string | null; to: string | null } {
  return { from: readDay(query, 'from'), to: readDay(query, 'to') }
}

function readDay(query: Record<string, unknown>, field: 'from' | 'to'): string | null {
  const value = query[field]
  if (value === undefined) return null
  const time = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN
  // Date.parse takes a day that does not exist, such as February 30, for one of the next month.
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(String(value))) return String(value)
  return refuse(field, `${field} must be a date (YYYY-MM-DD)`)
}

function refuse(param: string, message: string): never {
  throw new Refusal('validation_failed', { message, param })
}

interface Report {
  /** One row more than the limit if there is another page. */
  rows: readonly Sum[]
  totals: Sum
  grouping: Grouping
  page: UsageQuery['page']
}

/** In each row, the fields that it is not grouped by are null, even if the filter names them. */
export function showUsage({ rows, totals, grouping, page }: Report) {
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  const lastValue = last?.[grouping === 'uid' ? 'user_id' : grouping] ?? null
  return {
    data: shown.map(({ user_id, day, model, endpoint, ...sums }) => ({
      uid: user_id,
      day,
      model,
      endpoint,
      ...showNumbers(sums),
    })),
    totals: showNumbers(totals),
    next_cursor: rows.length > page.limit && lastValue !== null ? page.cursorAfter([lastValue]) : null,
  }
}

type Numbers = Omit<Sum, 'day' | 'model' | 'user_id' | 'endpoint'>

export function showNumbers({ requests, prompt_tokens, completion_tokens, total_tokens, cost_nanousd }: Numbers) {
  return { requests, prompt_tokens, completion_tokens, total_tokens, cost_usd: cost_nanousd / 1e9 }
}
