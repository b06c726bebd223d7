// Claims meters or webhooks that have something to send. Any replica may claim one, which gives it all of that one's
// events: each is sent by one replica at a time. A claim expires if the replica dies; nothing may be written under an
// expired one.

import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Schema } from './schema.ts'
import { executeTogether, transact } from './transact.ts'

export interface Claiming {
  claim: string
  time: number
  claimMs: number
  /** How many of those whose receiver responded quickly last time, and of the others. */
  maxFast: number
  maxSlow: number
}

interface Claimed {
  id: string
  is_slow: 0 | 1
}

type Due = SelectQueryBuilder<Schema, never, Claimed>

/** `dueOf` selects those of one speed that are due, those that wait longest first. One read if there are none. */
export async function claimDue(
  sql: Kysely<Schema>,
  table: 'meters' | 'webhooks',
  { claim, time, claimMs, maxFast, maxSlow }: Claiming,
  dueOf: (isSlow: 0 | 1, limit: number) => unknown,
): Promise<{ id: string; isSlow: boolean }[]> {
  const [fast, slow] = [dueOf(0, maxFast) as Due, dueOf(1, maxSlow) as Due]
  const due = await sql
    .selectFrom(fast.as('fast'))
    .selectAll()
    .unionAll(sql.selectFrom(slow.as('slow')).selectAll())
    .execute()
  if (due.length === 0) return []
  return await transact(sql, async trx => {
    // Row by row, in the order in which events lock them: one statement for all would lock them in any order.
    const updates = due
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ id }) =>
        trx
          .updateTable(table)
          .set({ claim, claimed_until: time + claimMs })
          .where('id', '=', id)
          .where('claimed_until', '<=', time)
          .returning(['id', 'is_slow'])
          .compile(),
      )
    const claimed = await executeTogether(trx, updates)
    return claimed.flatMap(({ rows }) => rows as Claimed[]).map(row => ({ id: row.id, isSlow: row.is_slow === 1 }))
  })
}
