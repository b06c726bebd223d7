// Claims meters or webhooks that have something to send. Any replica may claim one, which gives it all of that one's
// events: each is sent by one replica at a time. A claim expires if the replica dies; nothing may be written under an
// expired one.

import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Schema } from './schema.ts'
import { transact } from './transact.ts'

export interface Claiming {
  claim: string
  time: number
  claimMs: number
  /** How many of those whose receiver responded quickly last time, and of the others. */
  maxFast: number
  maxSlow: number
}

type Due = SelectQueryBuilder<Schema, never, { id: string; is_slow: 0 | 1 }>

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
  const isSlow = new Map(due.map(row => [row.id, row.is_slow === 1]))
  const claimed = await transact(sql, trx =>
    trx
      .updateTable(table)
      .set({ claim, claimed_until: time + claimMs })
      .where('id', 'in', [...isSlow.keys()].sort())
      .where('claimed_until', '<=', time)
      .returning('id')
      .execute(),
  )
  return claimed.map(({ id }) => ({ id, isSlow: isSlow.get(id) === true }))
}
