// Proves who somebody is by a code: of the authenticator app, or a backup code. Each works once over all replicas.

import type { Transaction } from 'kysely'
import { backupCodeDigest } from '../../crypto/factors/backup-codes.ts'
import { findStep, totpContext } from '../../crypto/factors/totp.ts'
import type { SecretBox } from '../../crypto/secrets/secret-box.ts'
import { Refusal } from '../../domain/errors.ts'
import { giveBackAttempt, takeAttempt } from '../../storage/factors/code-attempts.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'

/** Uses the code in the given transaction; throws if it is wrong. */
type UseCode = (trx: Transaction<Schema>) => Promise<void>

export interface GivenCode {
  code?: string | undefined
  backup_code?: string | undefined
}

/** Runs work that uses the code. A code that is wrong counts, and after ten nobody may try for a quarter of an hour. */
export async function withCode<T>(
  { sql, now, secretBox }: Pick<ManagementDependencies, 'sql' | 'now' | 'secretBox'>,
  userId: string,
  given: GivenCode,
  work: (useCode: UseCode) => Promise<T>,
): Promise<T> {
  const locked = await takeAttempt(sql, userId, now())
  if (locked !== null) {
    throw new Refusal('codes_locked', { retryAfterSeconds: Math.ceil((locked.lockedUntil - now()) / 1000) })
  }
  const useCode: UseCode = async trx => {
    const isRight =
      given.backup_code === undefined
        ? await useTotp(trx, secretBox, { userId, code: given.code ?? '', now: now() })
        : await useBackupCode(trx, userId, given.backup_code)
    if (!isRight) throw new Refusal('wrong_code')
  }
  const result = await work(useCode).catch(async (error: unknown) => {
    // What failed otherwise says nothing of the code.
    if (!(error instanceof Refusal) || error.code !== 'wrong_code') await giveBackAttempt(sql, userId)
    throw error
  })
  await giveBackAttempt(sql, userId)
  return result
}

interface TotpCode {
  userId: string
  code: string
  now: number
}

/** With `pending`, the secret may be one that no code has confirmed. */
export async function useTotp(
  trx: Transaction<Schema>,
  secretBox: Pick<SecretBox, 'open'>,
  { userId, code, now }: TotpCode,
  state: 'confirmed' | 'pending' = 'confirmed',
): Promise<boolean> {
  const row = await trx
    .selectFrom('totp_secrets')
    .select('ciphertext')
    .where('user_id', '=', userId)
    .where('confirmed_at', state === 'confirmed' ? 'is not' : 'is', null)
    .executeTakeFirst()
  if (row === undefined) return false
  const step = findStep(secretBox.open(row.ciphertext, totpContext(userId)), code, now)
  if (step === null) return false
  // The row of the same secret, unless this or a later code was used.
  const used = await trx
    .updateTable('totp_secrets')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst()
  return used !== undefined
}

async function useBackupCode(trx: Transaction<Schema>, userId: string, code: string): Promise<boolean> {
  const used = await trx
    .deleteFrom('backup_codes')
    .where('user_id', '=', userId)
    .where('digest', '=', backupCodeDigest(userId, code))
    .returning('digest')
    .executeTakeFirst()
  return used !== undefined
}
