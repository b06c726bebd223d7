// Deletes rows of a table with a late index, together with their entries.

import { type Kysely, type SqlBool, sql as text } from 'kysely'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'
import { findBuiltThrough, findPageEnd, type LateIndex, nothingBuilt } from './late-index.ts'

/** The rows of all projects among which a project's newest ones are looked for at a time. */
const searchedRows = 2_000

/**
 * Deletes all rows of a project, and yields how many after each page: first those that are newer than the entries,
 * whose entries may be built meanwhile, then those with entries.
 */
export async function* eraseLateIndexed(
  sql: Kysely<Schema>,
  index: LateIndex,
  projectId: string,
  limit: number,
): AsyncGenerator<number, void> {
  for (let after: number | null = await findBuiltThrough(sql, index); after !== null; ) {
    const end = await findPageEnd(sql, index, { after, upTo: Number.MAX_SAFE_INTEGER }, searchedRows)
    yield await deleteWithin(sql, index, { after, upTo: end ?? Number.MAX_SAFE_INTEGER }, projectId)
    after = end
  }
  for (let count = limit; count === limit; ) {
    count = await deleteByEntries(sql, index, projectId, limit)
    yield count
  }
}

/** Deletes some `limit` of the rows before that time, the oldest first. Returns whether more are left. */
export async function deleteOldest(
  sql: Kysely<Schema>,
  index: LateIndex,
  before: number,
  limit: number,
): Promise<boolean> {
  const end = await findPageEnd(sql, index, { after: nothingBuilt, upTo: before - 1 }, limit)
  await deleteWithin(sql, index, { after: nothingBuilt, upTo: end ?? before - 1 }, null)
  return end !== null
}

/** Deletes the entries of all projects if none is given. */
async function deleteWithin(
  sql: Kysely<Schema>,
  { table, entries }: LateIndex,
  { after, upTo }: { after: number; upTo: number },
  projectId: string | null,
): Promise<number> {
  const isMeant = text<SqlBool>`created_at > ${after} and created_at <= ${upTo}${
    projectId === null ? text`` : text` and project_id = ${projectId}`
  }`
  return await transact(sql, async trx => {
    await trx
      .deleteFrom(entries)
      .where(row =>
        row(
          row.refTuple('project_id', 'request_id'),
          'in',
          row
            .selectFrom(table)
            .select(['project_id', 'request_id'])
            .where(isMeant)
            .$asTuple('project_id', 'request_id'),
        ),
      )
      .execute()
    const { numDeletedRows } = await trx.deleteFrom(table).where(isMeant).executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  })
}

async function deleteByEntries(
  sql: Kysely<Schema>,
  { table, entries }: LateIndex,
  projectId: string,
  limit: number,
): Promise<number> {
  return await transact(sql, async trx => {
    const found = await trx
      .selectFrom(entries)
      .select('request_id')
      .where('project_id', '=', projectId)
      .orderBy('request_id')
      .limit(limit)
      .execute()
    if (found.length === 0) return 0
    const ids = found.map(row => row.request_id)
    for (const name of [table, entries] as const) {
      await trx.deleteFrom(name).where('project_id', '=', projectId).where('request_id', 'in', ids).execute()
    }
    return found.length
  })
}
