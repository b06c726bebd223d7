// Reads a project's rows of a table with a late index: first those with entries, then, in the order of time, those that
// are newer than the entries. Rows do not move when their entries are built, so each is read once.

import type { Kysely } from 'kysely'
import type { Schema } from '../schema.ts'
import { findBuiltThrough, findPageEnd, type LateIndex } from './late-index.ts'

const pageRows = 500
/** The rows of all projects among which a project's newest ones are looked for at a time. */
const searchedRows = 2_000

type Row = Record<string, unknown>

/** Yields pages of rows. None is empty. */
export async function* readLateIndexed(
  sql: Kysely<Schema>,
  index: LateIndex,
  projectId: string,
): AsyncGenerator<Row[]> {
  const builtThrough = await findBuiltThrough(sql, index)
  for await (const rows of readByEntries(sql, index, projectId)) {
    // Entries that are built meanwhile are of rows that come below.
    const older = rows.filter(row => row.created_at <= builtThrough)
    if (older.length > 0) yield older
  }
  for (let after: number | null = builtThrough; after !== null; ) {
    const end = await findPageEnd(sql, index, { after, upTo: Number.MAX_SAFE_INTEGER }, searchedRows)
    let newer = sql
      .selectFrom(index.table)
      .selectAll()
      .where('created_at', '>', after)
      .where('project_id', '=', projectId)
      .orderBy('created_at')
      .orderBy('request_id')
    if (end !== null) newer = newer.where('created_at', '<=', end)
    const rows = await newer.execute()
    if (rows.length > 0) yield rows
    after = end
  }
}

async function* readByEntries(sql: Kysely<Schema>, { table, entries }: LateIndex, projectId: string) {
  for (let afterId = ''; ; ) {
    const found = await sql
      .selectFrom(entries)
      .select('request_id')
      .where('project_id', '=', projectId)
      .where('request_id', '>', afterId)
      .orderBy('request_id')
      .limit(pageRows)
      .execute()
    const ids = found.map(row => row.request_id)
    const last = ids.at(-1)
    if (last === undefined) return
    yield await sql
      .selectFrom(table)
      .selectAll()
      .where('request_id', 'in', ids)
      .where('project_id', '=', projectId)
      .orderBy('request_id')
      .execute()
    afterId = last
  }
}
