// The first dashboard user, made at start while there is none; several copies that start at once make one.

import { raiseRevision } from '../../storage/projections.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'

/** Asks for the password only where a user must be made; true when this process made it. */
export async function bootstrapUser(
  { sql, passwords, now, randomId }: Pick<ManagementDependencies, 'sql' | 'passwords' | 'now' | 'randomId'>,
  email: string,
  choosePassword: () => Promise<string>,
): Promise<boolean> {
  const anybody = await sql.selectFrom('users').select('id').limit(1).executeTakeFirst()
  if (anybody !== undefined) return false
  const passwordHash = await passwords.hash(await choosePassword())
  return await transact(sql, async trx => {
    // Copies that start together wait for each other on this row.
    await raiseRevision(trx, 'bootstrap-user')
    const others = await trx.selectFrom('users').select('id').limit(1).executeTakeFirst()
    if (others !== undefined) return false
    await trx
      .insertInto('users')
      .values({ id: randomId(), email: email.trim().toLowerCase(), password_hash: passwordHash, created_at: now() })
      .execute()
    return true
  })
}
