// Builds the entries of a late index: those of the next rows in the order of time, in the order of their projects.
// Other passes over such rows in the order of time remember how far they came in the same way.

import { type Kysely, type Transaction, sql as text } from 'kysely'
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
  const pass = { name: index.table, index, from: nothingBuilt, upTo }
  return await advance(sql, pass, limit, async (trx, { after, through }) => {
    await trx
      .insertInto(index.entries)
      .columns(['project_id', 'request_id'])
      .expression(
        trx
          .selectFrom(index.table)
          .select(['project_id', 'request_id'])
          .where('created_at', '>', after)
          .where('created_at', '<=', through)
          .orderBy('project_id')
          .orderBy('request_id'),
      )
      .onConflict(conflict => conflict.columns(['project_id', 'request_id']).doNothing())
      .execute()
  })
}

/** Rows after `after`, up to `through`. */
export interface Stretch {
  after: number
  through: number
}

interface Pass {
  /** What remembers how far it came. */
  name: string
  index: LateIndex
  /** Earlier rows, up to this time, are left out. */
  from: number
  upTo: number
}

/** Does the work for at most some `limit` rows, the next ones in the order of time. Returns whether rows are left. */
export async function advance(
  sql: Kysely<Schema>,
  { name, index, from, upTo }: Pass,
  limit: number,
  work: (trx: Transaction<Schema>, stretch: Stretch) => Promise<void>,
): Promise<boolean> {
  return await transact(sql, async trx => {
    // The update locks the row, so that two workers do this one after the other.
    const { built_through } = await trx
      .insertInto('late_indexes')
      .values({ name, built_through: nothingBuilt })
      .onConflict(conflict => conflict.column('name').doUpdateSet({ built_through: text`late_indexes.built_through` }))
      .returning('built_through')
      .executeTakeFirstOrThrow()
    const after = Math.max(built_through, from)
    if (after >= upTo) return false
    const end = await findPageEnd(trx, index, { after, upTo }, limit)
    const through = end ?? upTo
    await work(trx, { after, through })
    await trx.updateTable('late_indexes').set({ built_through: through }).where('name', '=', name).execute()
    return end !== null
  })
}
