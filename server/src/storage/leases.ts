// Who may do a job that any copy could do: one row per job, held until a time. One statement each, on both databases.
// Knows nothing of the jobs.
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** Takes the lease where it is free, run out, or the holder's own already; the copies' clocks should agree within its length. */
export async function takeLease(
  sql: Kysely<Schema>,
  name: string,
  holder: string,
  ttlMs: number,
  now: () => number,
): Promise<boolean> {
  const time = now()
  const taken = await sql
    .insertInto('leases')
    .values({ name, holder, expires_at: time + ttlMs })
    .onConflict(conflict =>
      conflict
        .column('name')
        .doUpdateSet({ holder, expires_at: time + ttlMs })
        .where(({ eb, or }) => or([eb('leases.expires_at', '<=', time), eb('leases.holder', '=', holder)])),
    )
    .returning('name')
    .execute()
  return taken.length > 0
}

/** False when it ran out or went to another: the job must stop. */
export async function renewLease(
  sql: Kysely<Schema>,
  name: string,
  holder: string,
  ttlMs: number,
  now: () => number,
): Promise<boolean> {
  const time = now()
  const renewed = await sql
    .updateTable('leases')
    .set({ expires_at: time + ttlMs })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .where('expires_at', '>', time)
    .returning('name')
    .execute()
  return renewed.length > 0
}

/** Leaves another's lease alone. */
export async function releaseLease(sql: Kysely<Schema>, name: string, holder: string): Promise<void> {
  await sql.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
}
