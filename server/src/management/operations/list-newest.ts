// The operator's searches have in common: the newest rows come first, a page at a time, and `q` is an id or a part of
// what the list names.
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { getPage } from '../../domain/cursor.ts'
import { pageQuery } from '../plane/fields.ts'

export const searchQuery = pageQuery.extend({
  q: z.string({ error: 'q must be a string' }).max(255, { error: 'q must be at most 255 characters' }).optional(),
})

export interface Wanted {
  q: string
  after: [number, string] | null
  limit: number
}

/** Reads one row more than the page shows, to know whether there is a next page. */
export async function listNewest<Row extends { created_at: number; id: string }>(
  list: string,
  query: z.output<typeof searchQuery>,
  read: (wanted: Wanted) => Promise<Row[]>,
): Promise<{ rows: Row[]; next_cursor: string | null }> {
  const q = query.q?.trim() ?? ''
  const page = getPage(query, { list: [list, q], key: ['number', 'string'] })
  const found = await read({ q, after: page.after, limit: page.limit + 1 })
  const rows = found.slice(0, page.limit)
  const last = rows.at(-1)
  const hasMore = found.length > page.limit && last !== undefined
  return { rows, next_cursor: hasMore ? page.cursorAfter([last.created_at, last.id]) : null }
}

/** True for rows that come after the last one of the page before. */
export function isAfter(
  table: 'tenants' | 'projects' | 'operator_credentials',
  [at, id]: [number, string],
): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(`${table}.created_at`)}, ${sql.ref(`${table}.id`)}) < (${at}, ${id})`
}

/** The same in the list of operators, whose oldest rows come first. */
export function isAfterOperator([at, id]: [number, string]): RawBuilder<boolean> {
  return sql<boolean>`(operators.created_at, operators.user_id) > (${at}, ${id})`
}

/** The database lower-cases both sides, so that the same rules apply to both. */
export function contains(column: string, q: string): RawBuilder<boolean> {
  return sql<boolean>`lower(${sql.ref(column)}) like lower(${`%${q.replace(/[!%_]/g, '!$&')}%`}) escape '!'`
}
