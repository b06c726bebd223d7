// Which second factors an account has. The first one and the removal of the last one change the account's own row,
// which every sign-in locks: no session begins beside them that should have needed the factor.

import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '../schema.ts'

/** What an account can prove itself by, after its password. */
const factorMethods = ['passkey', 'totp', 'backup_code'] as const
type FactorMethod = (typeof factorMethods)[number]

export async function listMethods(sql: Pick<Kysely<Schema>, 'selectFrom'>, userId: string): Promise<FactorMethod[]> {
  const row = await sql
    .selectFrom('users')
    .select(({ exists, selectFrom }) => [
      exists(selectFrom('passkeys').select('id').whereRef('passkeys.user_id', '=', 'users.id')).as('passkey'),
      exists(
        selectFrom('totp_secrets')
          .select('user_id')
          .whereRef('totp_secrets.user_id', '=', 'users.id')
          .where('confirmed_at', 'is not', null),
      ).as('totp'),
      exists(selectFrom('backup_codes').select('digest').whereRef('backup_codes.user_id', '=', 'users.id')).as(
        'backup_code',
      ),
    ])
    .where('users.id', '=', userId)
    .executeTakeFirst()
  // SQLite returns 1 and 0.
  return row === undefined ? [] : factorMethods.filter(method => Boolean(row[method]))
}

/** Waits for sign-ins of the account, and makes them wait. */
export async function lockAccount(trx: Transaction<Schema>, userId: string): Promise<void> {
  await trx
    .updateTable('users')
    .set(row => ({ email: row.ref('email') }))
    .where('id', '=', userId)
    .execute()
}

/** After a factor was added to the locked account. Returns whether it is the first. */
export async function noteFactorAdded(trx: Transaction<Schema>, userId: string, now: number): Promise<boolean> {
  const first = await trx
    .updateTable('users')
    .set({ second_factor_since: now })
    .where('id', '=', userId)
    .where('second_factor_since', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return first !== undefined
}

/** After a factor was removed from the locked account: backup codes alone are no second factor. */
export async function noteFactorRemoved(trx: Transaction<Schema>, userId: string): Promise<void> {
  const left = await listMethods(trx, userId)
  if (left.some(method => method !== 'backup_code')) return
  await trx.deleteFrom('backup_codes').where('user_id', '=', userId).execute()
  await trx.updateTable('users').set({ second_factor_since: null }).where('id', '=', userId).execute()
}

export async function removeAllFactors(trx: Transaction<Schema>, userId: string): Promise<void> {
  await lockAccount(trx, userId)
  await trx.deleteFrom('passkeys').where('user_id', '=', userId).execute()
  await trx.deleteFrom('totp_secrets').where('user_id', '=', userId).execute()
  await trx.deleteFrom('code_attempts').where('user_id', '=', userId).execute()
  await trx.deleteFrom('sign_in_challenges').where('user_id', '=', userId).execute()
  await noteFactorRemoved(trx, userId)
}
