// Leases for jobs that any replica can run: one row per job, held until a time. One statement each, on both databases.
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * Takes the lease if it is free, expired, or already the holder's; the replicas' clocks must agree within its length.
 */
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

/** Returns false if it expired or has another holder: the job must stop. */
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

/** A no-op if another holder has the lease. */
export async function releaseLease(sql: Kysely<Schema>, name: string, holder: string): Promise<void> {
  await sql.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
}
