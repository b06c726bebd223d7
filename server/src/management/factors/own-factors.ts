// The authenticator app and the backup codes of the signed-in user. The operator removes the factors of somebody who
// has lost all of them.

import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { backupCodeDigest, newBackupCodes } from '../../crypto/factors/backup-codes.ts'
import { newTotpSecret, totpContext, totpUri } from '../../crypto/factors/totp.ts'
import { Refusal } from '../../domain/errors.ts'
import { lockAccount, noteFactorRemoved, removeAllFactors } from '../../storage/factors/account-factors.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { Caller } from '../plane/caller.ts'
import { type Route, route } from '../plane/route.ts'
import { addFactor } from './add-factor.ts'
import { backupCodeField, codeField, isExactlyOne } from './factor-fields.ts'
import { useTotp, withCode } from './prove-code.ts'

const path = '/auth/v1/users/current/totp'
const product = 'Sallyport'
const common = { credential: 'session', owner: 'caller', permission: null, onlyForPeople: true } as const
const backupCodesSchema = z.object({ backup_codes: z.array(z.string()) })

export function ownFactorRoutes(management: ManagementDependencies): Route[] {
  return [...totpRoutes(management), removeTotpRoute(management), ...backupCodeRoutes(management)]
}

function totpRoutes(management: ManagementDependencies): Route[] {
  const { sql, now, secretBox } = management
  return [
    route({
      ...common,
      method: 'POST',
      path,
      operation: 'beginTotp',
      audit: { action: 'totp.begin' },
      stepUp: 'everyone',
      summary: 'Make the secret of an authenticator app; it counts once a first code has confirmed it',
      answers: { 200: z.object({ secret: z.string(), uri: z.string() }) },
      refusals: ['totp_exists'],
      async handle({ caller }) {
        const secret = newTotpSecret(randomBytes)
        const ciphertext = secretBox.seal(secret, totpContext(caller.userId))
        await transact(sql, trx => storePending(trx, caller.userId, ciphertext, now()))
        return { status: 200, body: { secret, uri: totpUri({ issuer: product, email: caller.email, secret }) } }
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/confirm`,
      operation: 'confirmTotp',
      audit: { action: 'totp.add' },
      stepUp: 'everyone',
      summary: 'Confirm the authenticator app with its first code; returns backup codes, which are shown once',
      body: z.object({ code: codeField() }),
      answers: { 200: backupCodesSchema },
      refusals: ['totp_not_found', 'wrong_code', 'codes_locked'],
      async handle({ caller, body }) {
        const backup_codes = await withCode(management, caller.userId, body, () =>
          transact(sql, trx =>
            addFactor(trx, { caller, by: 'totp', now: now() }, () => confirm(trx, management, caller, body.code)),
          ),
        )
        return { status: 200, body: { backup_codes } }
      },
    }),
  ]
}

function removeTotpRoute(management: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'DELETE',
    path,
    operation: 'removeTotp',
    audit: { action: 'totp.remove' },
    stepUp: 'everyone',
    summary: 'Remove the authenticator app, with one of its codes or a backup code',
    body: z.object({ code: codeField().optional(), backup_code: backupCodeField.optional() }),
    answers: { 204: null },
    refusals: ['totp_not_found', 'wrong_code', 'codes_locked'],
    async handle({ caller: { userId }, body }) {
      if (!isExactlyOne([body.code, body.backup_code])) {
        throw new Refusal('validation_failed', { message: 'Give exactly one of code and backup_code' })
      }
      await withCode(management, userId, body, useCode =>
        transact(management.sql, async trx => {
          await lockAccount(trx, userId)
          if (!(await hasTotp(trx, userId))) throw new Refusal('totp_not_found')
          await useCode(trx)
          await trx.deleteFrom('totp_secrets').where('user_id', '=', userId).execute()
          await noteFactorRemoved(trx, userId)
        }),
      )
      return { status: 204 }
    },
  })
}

function backupCodeRoutes({ sql }: ManagementDependencies): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/auth/v1/users/current/second-factors',
      operation: 'getSecondFactors',
      summary: 'Get which second factors the signed-in user has; `GET …/passkeys` lists the passkeys',
      answers: { 200: z.object({ passkeys: z.int(), totp: z.boolean(), backup_codes_left: z.int() }) },
      async handle({ caller: { userId } }) {
        const passkeys = await sql.selectFrom('passkeys').select('id').where('user_id', '=', userId).execute()
        const codes = await sql.selectFrom('backup_codes').select('digest').where('user_id', '=', userId).execute()
        const body = { passkeys: passkeys.length, totp: await hasTotp(sql, userId), backup_codes_left: codes.length }
        return { status: 200, body }
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/auth/v1/users/current/backup-codes',
      operation: 'createBackupCodes',
      audit: { action: 'backup_codes.create' },
      stepUp: 'everyone',
      summary: 'Make ten new backup codes, which are shown once; earlier ones stop working',
      answers: { 200: backupCodesSchema },
      refusals: ['no_second_factor'],
      async handle({ caller: { userId } }) {
        const backup_codes = await transact(sql, async trx => {
          await lockAccount(trx, userId)
          const user = await trx.selectFrom('users').select('second_factor_since').where('id', '=', userId).execute()
          if (user[0]?.second_factor_since == null) throw new Refusal('no_second_factor')
          return await replaceBackupCodes(trx, userId)
        })
        return { status: 200, body: { backup_codes } }
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/admin/users/:userId/second-factors',
      operation: 'removeUserSecondFactors',
      audit: { action: 'user.remove_second_factors', target: 'userId' },
      summary: 'Remove all second factors of somebody who has lost them; their sessions end',
      credential: 'admin-secret',
      owner: 'none',
      answers: { 204: null },
      refusals: ['not_found'],
      async handle({ params }) {
        const userId = params['userId'] ?? ''
        await transact(sql, async trx => {
          const user = await trx.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst()
          if (user === undefined) throw new Refusal('not_found')
          await removeAllFactors(trx, userId)
          await trx.deleteFrom('sessions').where('user_id', '=', userId).execute()
        })
        return { status: 204 }
      },
    }),
  ]
}

async function hasTotp(sql: Pick<ManagementDependencies['sql'], 'selectFrom'>, userId: string): Promise<boolean> {
  const row = await sql
    .selectFrom('totp_secrets')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Replaces a secret that was never confirmed. */
async function storePending(trx: Transaction<Schema>, userId: string, ciphertext: string, now: number): Promise<void> {
  await lockAccount(trx, userId)
  if (await hasTotp(trx, userId)) throw new Refusal('totp_exists')
  await trx.deleteFrom('totp_secrets').where('user_id', '=', userId).execute()
  const row = { user_id: userId, ciphertext, created_at: now, confirmed_at: null, last_step: 0 }
  await trx.insertInto('totp_secrets').values(row).execute()
}

/** Returns new backup codes: earlier ones stop working. */
async function confirm(
  trx: Transaction<Schema>,
  { secretBox, now }: ManagementDependencies,
  { userId }: Caller,
  code: string,
): Promise<string[]> {
  const pending = await trx
    .selectFrom('totp_secrets')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is', null)
    .executeTakeFirst()
  if (pending === undefined) throw new Refusal('totp_not_found')
  if (!(await useTotp(trx, secretBox, { userId, code, now: now() }, 'pending'))) throw new Refusal('wrong_code')
  await trx.updateTable('totp_secrets').set({ confirmed_at: now() }).where('user_id', '=', userId).execute()
  return await replaceBackupCodes(trx, userId)
}

async function replaceBackupCodes(trx: Transaction<Schema>, userId: string): Promise<string[]> {
  const codes = newBackupCodes(randomBytes)
  await trx.deleteFrom('backup_codes').where('user_id', '=', userId).execute()
  await trx
    .insertInto('backup_codes')
    .values(codes.map(code => ({ user_id: userId, digest: backupCodeDigest(userId, code) })))
    .execute()
  return codes
}
