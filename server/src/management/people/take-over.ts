// Gives an account to the person whose email the operator's issuer has verified, once: somebody else may have made it.

import type { Transaction } from 'kysely'
import { removeAllFactors } from '../../storage/factors/account-factors.ts'
import type { Schema } from '../../storage/schema.ts'

/**
 * Whoever knew the password or a reset link before, or had added a factor, loses them. Concurrent first sign-ins do it
 * once.
 */
export async function takeOver(trx: Transaction<Schema>, userId: string, at: number): Promise<void> {
  const verified = await trx
    .updateTable('users')
    .set({ email_proven_at: at, password_hash: null, home_tenant_id: null })
    .where('id', '=', userId)
    .where('email_proven_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (verified === undefined) return
  await trx.deleteFrom('password_resets').where('user_id', '=', userId).execute()
  await trx.deleteFrom('sessions').where('user_id', '=', userId).execute()
  await removeAllFactors(trx, userId)
}
