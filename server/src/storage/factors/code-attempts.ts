// Counts wrong codes of an account over all replicas: ten lock its codes for a quarter of an hour. An attempt counts
// before its code is compared, so that parallel guesses cannot exceed the limit.

import { type Kysely, sql as text } from 'kysely'
import type { Schema } from '../schema.ts'

const maxWrongCodes = 10
const lockMs = 15 * 60_000

/** Counts an attempt. If codes are locked, it does not count and the result is the end of the lock. */
export async function takeAttempt(
  sql: Kysely<Schema>,
  userId: string,
  now: number,
): Promise<{ lockedUntil: number } | null> {
  const failures = text<number>`case when code_attempts.last_at <= ${now - lockMs} then 1 else code_attempts.failures + 1 end`
  const taken = await sql
    .insertInto('code_attempts')
    .values({ user_id: userId, failures: 1, last_at: now, locked_until: null })
    .onConflict(conflict =>
      conflict
        .column('user_id')
        .doUpdateSet({
          failures,
          last_at: now,
          locked_until: text<number>`case when ${failures} >= ${maxWrongCodes} then cast(${now + lockMs} as bigint) end`,
        })
        .where(row =>
          row.or([row('code_attempts.locked_until', 'is', null), row('code_attempts.locked_until', '<=', now)]),
        ),
    )
    .returning('failures')
    .executeTakeFirst()
  if (taken !== undefined) return null
  const row = await sql
    .selectFrom('code_attempts')
    .select('locked_until')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return { lockedUntil: row?.locked_until ?? now }
}

/** The code was right: the attempt does not count, nor does the lock that it began. */
export async function giveBackAttempt(sql: Kysely<Schema>, userId: string): Promise<void> {
  await sql
    .updateTable('code_attempts')
    .set({ failures: text<number>`failures - 1`, locked_until: null })
    .where('user_id', '=', userId)
    .where('failures', '>', 0)
    .execute()
}
