// Counts the refused acts of each actor by the minute. The first ones become entries; of the others the worker records
// how many there were, once the minute is over.

import type { Transaction } from 'kysely'
import type { Schema } from '../schema.ts'

const minuteMs = 60_000
export const maxRefusalsAMinute = 60

/** Returns whether this one becomes an entry. */
export async function countRefusal(
  trx: Transaction<Schema>,
  { chain, actor }: { chain: string; actor: string },
  now: number,
): Promise<boolean> {
  const { count } = await trx
    .insertInto('audit_refusals')
    .values({ tenant_id: chain, actor, minute: now - (now % minuteMs), count: 1 })
    .onConflict(conflict =>
      conflict
        .columns(['tenant_id', 'actor', 'minute'])
        .doUpdateSet(row => ({ count: row('audit_refusals.count', '+', 1) })),
    )
    .returning('count')
    .executeTakeFirstOrThrow()
  return count <= maxRefusalsAMinute
}

/** Removes the counts of minutes that are over; returns those of which not every act became an entry. */
export async function takeRefusals(trx: Transaction<Schema>, now: number) {
  const ended = await trx
    .deleteFrom('audit_refusals')
    .where('minute', '<', now - (now % minuteMs))
    .returning(['tenant_id', 'actor', 'count'])
    .execute()
  return ended.filter(({ count }) => count > maxRefusalsAMinute)
}
