// Leases for jobs that any replica can run, and on the files of projects: one row each, held until a time.
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'
import { transact } from './transact.ts'

interface Taking {
  names: readonly string[]
  holder: string
  forMs: number
  now: () => number
}

/** On the file of a project. */
export const fileLease = (projectId: string): string => `file:${projectId}`

/**
 * Takes the leases that are free, expired or already the holder's, in one statement; returns the names of those. The
 * replicas' clocks must agree within their length.
 */
export async function takeLeases(sql: Kysely<Schema>, { names, holder, forMs, now }: Taking): Promise<string[]> {
  const time = now()
  const taken = await sql
    .insertInto('leases')
    // Every replica locks the rows in the same order, so that none waits for another that waits for it.
    .values(names.toSorted().map(name => ({ name, holder, expires_at: time + forMs })))
    .onConflict(conflict =>
      conflict
        .column('name')
        .doUpdateSet({ holder, expires_at: time + forMs })
        .where(({ eb, or }) => or([eb('leases.expires_at', '<=', time), eb('leases.holder', '=', holder)])),
    )
    .returning('name')
    .execute()
  return taken.map(({ name }) => name)
}

/** Those that another has stay. */
export async function releaseLeases(sql: Kysely<Schema>, names: readonly string[], holder: string): Promise<void> {
  await transact(sql, trx => trx.deleteFrom('leases').where('name', 'in', names).where('holder', '=', holder).execute())
}
