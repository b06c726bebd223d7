// Builds the entries of a late index: those of the next rows in the order of time, in the order of their projects.

import { type Kysely, sql as text } from 'kysely'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'
import { findPageEnd, type LateIndex, nothingBuilt } from './late-index.ts'

/** Builds the entries of at most some `limit` rows up to that time. Returns whether rows are left. */
export async function buildEntries(
  sql: Kysely<Schema>,
  index: LateIndex,
  upTo: number,
  limit: number,
): Promise<boolean> {
  return await transact(sql, async trx => {
    // The update locks the row, so that two workers build one after the other.
    const { built_through: after } = await trx
      .insertInto('late_indexes')
      .values({ name: index.table, built_through: nothingBuilt })
      .onConflict(conflict => conflict.column('name').doUpdateSet({ built_through: text`late_indexes.built_through` }))
      .returning('built_through')
      .executeTakeFirstOrThrow()
    if (after >= upTo) return false
    const end = await findPageEnd(trx, index, { after, upTo }, limit)
    await trx
      .insertInto(index.entries)
      .columns(['project_id', 'request_id'])
      .expression(
        trx
          .selectFrom(index.table)
          .select(['project_id', 'request_id'])
          .where('created_at', '>', after)
          .where('created_at', '<=', end ?? upTo)
          .orderBy('project_id')
          .orderBy('request_id'),
      )
      .onConflict(conflict => conflict.columns(['project_id', 'request_id']).doNothing())
      .execute()
    await trx
      .updateTable('late_indexes')
      .set({ built_through: end ?? upTo })
      .where('name', '=', index.table)
      .execute()
    return end !== null
  })
}
