// Creates the first dashboard user at the start if there is none. Replicas that start at the same time create only one.

import { raiseRevision } from '../../storage/projections.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'

/** Calls `choosePassword` only if a user must be created. Returns true if this process created it. */
export async function bootstrapUser(
  { sql, passwords, now, randomId }: Pick<ManagementDependencies, 'sql' | 'passwords' | 'now' | 'randomId'>,
  email: string,
  choosePassword: () => Promise<string>,
): Promise<boolean> {
  const anybody = await sql.selectFrom('users').select('id').limit(1).executeTakeFirst()
  if (anybody !== undefined) return false
  const passwordHash = await passwords.hash(await choosePassword())
  return await transact(sql, async trx => {
    // Replicas that start together wait for each other on this row.
    await raiseRevision(trx, 'bootstrap-user')
    const others = await trx.selectFrom('users').select('id').limit(1).executeTakeFirst()
    if (others !== undefined) return false
    const time = now()
    const id = randomId()
    await trx
      .insertInto('users')
      .values({
        id,
        email: email.trim().toLowerCase(),
        password_hash: passwordHash,
        email_proven_at: time,
        created_at: time,
      })
      .execute()
    await trx.insertInto('operators').values({ user_id: id, created_at: time, created_by: 'bootstrap' }).execute()
    return true
  })
}
