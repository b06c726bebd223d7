// The indexes by project that are built later, and their tables. Every request adds a row to such a table, in the order
// of time. An index by project would change another page for each row of a batch, so its entries are rows of a table
// that the worker adds in the order of projects, many at a time.

import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'

export interface LateIndex {
  /** Has an index by `created_at`. */
  table: 'usage_records'
  entries: 'usage_records_by_project'
}

export const usageIndex: LateIndex = { table: 'usage_records', entries: 'usage_records_by_project' }

export const lateIndexes: readonly LateIndex[] = [usageIndex]

/**
 * Entries are built for rows of this age. A row that is added at a later age than `addedLateMs` gets its entry when it
 * is added. In between is the room for clocks that differ and for transactions that last.
 */
export const builtAfterMs = 15 * 60 * 1000
const addedLateMs = 5 * 60 * 1000

export function isAddedLate({ created_at }: { created_at: number }, now: number): boolean {
  return created_at <= now - addedLateMs
}

type Database = Pick<Kysely<Schema>, 'selectFrom'>

/** The first rows are of later times. */
export const nothingBuilt = -1

export async function findBuiltThrough(sql: Database, { table }: LateIndex): Promise<number> {
  const row = await sql.selectFrom('late_indexes').select('built_through').where('name', '=', table).executeTakeFirst()
  return row?.built_through ?? nothingBuilt
}

/**
 * The time of the last of the next `limit` rows after that time; null if fewer are left. Rows of one time stay
 * together.
 */
export async function findPageEnd(
  sql: Database,
  { table }: LateIndex,
  { after, upTo }: { after: number; upTo: number },
  limit: number,
): Promise<number | null> {
  const last = await sql
    .selectFrom(table)
    .select('created_at')
    .where('created_at', '>', after)
    .where('created_at', '<=', upTo)
    .orderBy('created_at')
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst()
  return last?.created_at ?? null
}
