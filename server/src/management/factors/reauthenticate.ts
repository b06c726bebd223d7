// Proves again who uses a session, for routes that need a recent sign-in. A session of a single sign-on is never proven
// by a password: the identity provider is asked again, which opens another session.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { challengeIn, type PasskeyResponse } from '../../crypto/factors/passkeys.ts'
import type { AuthenticatedBy } from '../../domain/access/authentications.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import { listMethods } from '../../storage/factors/account-factors.ts'
import { findChallenge, makeChallenge } from '../../storage/factors/challenges.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { sessionId } from '../people/own-sessions.ts'
import type { ProvePassword } from '../people/prove-password.ts'
import type { Caller, Session } from '../plane/caller.ts'
import { type Route, route } from '../plane/route.ts'
import { codeField, isExactlyOne, passkeyField, requestOptionsSchema } from './factor-fields.ts'
import { withCode } from './prove-code.ts'
import { provePasskey, requestOptions, usePasskey } from './prove-passkey.ts'

const path = '/auth/v1/sessions/current/reauthenticate'
const common = {
  method: 'POST',
  credential: 'session',
  owner: 'caller',
  permission: null,
  onlyForPeople: true,
  inTenantSession: true,
} as const

const proofSchema = z.object({
  password: z.string({ error: 'password must be a text' }).optional(),
  code: codeField().optional(),
  passkey: passkeyField('passkey').optional(),
})

export function reauthenticationRoutes(management: ManagementDependencies, provePassword: ProvePassword): Route[] {
  const { sql, now } = management
  return [
    route({
      ...common,
      path: `${path}/options`,
      operation: 'beginReauthentication',
      audit: null,
      summary: 'Get by what the signed-in user can prove who they are, and what a browser needs for a passkey',
      answers: {
        200: z.object({
          methods: z.array(z.enum(['sso', 'passkey', 'totp', 'password'])),
          passkey: requestOptionsSchema,
        }),
      },
      refusals: ['own_session_required'],
      async handle({ caller }) {
        const session = getOwnSession(caller)
        const about = { purpose: 'step_up', user_id: caller.userId, bound_to: session.digest } as const
        const challenge = await makeChallenge(sql, about, now())
        const passkey = requestOptions(management, challenge)
        const methods = await listProofs(sql, caller.userId, session)
        return { status: 200, body: { methods, passkey } }
      },
    }),
    route({
      ...common,
      path,
      operation: 'reauthenticateSession',
      audit: { action: 'session.reauthenticate' },
      summary: 'Prove again who uses this session: by the password, a code or a passkey',
      body: proofSchema,
      answers: { 204: null },
      refusals: [
        'own_session_required',
        'sign_on_again',
        'wrong_password',
        'wrong_code',
        'codes_locked',
        'challenge_invalid',
        'passkey_refused',
        'too_many_attempts',
        'busy',
      ],
      async handle({ caller, body: { password, code, passkey }, clientAddress }) {
        if (!isExactlyOne([password, code, passkey])) {
          throw new Refusal('validation_failed', { message: 'Give exactly one of password, code and passkey' })
        }
        const session = getOwnSession(caller)
        checkWay(session, password)
        noteAct({ target: { id: sessionId(session.digest) } })
        if (passkey !== undefined) await byPasskey(management, caller, session, passkey)
        else if (code !== undefined) await byCode(management, caller, session, code)
        else await byPassword(management, provePassword, { caller, session, password: password ?? '', clientAddress })
        return { status: 204 }
      },
    }),
  ]
}

/** Sessions of an external issuer are not stored: its users sign in there. */
function getOwnSession({ session }: Caller): Session {
  if (session === null || session.issuer === 'external') throw new Refusal('own_session_required')
  return session
}

/** Of a tenant, only its own issuer says who somebody is. The installation's leaves the factors of the account. */
function checkWay({ tenantId, identityId }: Session, password: string | undefined): void {
  if (tenantId !== null || (identityId !== null && password !== undefined)) throw new Refusal('sign_on_again')
}

async function listProofs(sql: ManagementDependencies['sql'], userId: string, { tenantId, identityId }: Session) {
  if (tenantId !== null) return ['sso' as const]
  const methods = await listMethods(sql, userId)
  const user = await sql.selectFrom('users').select('password_hash').where('id', '=', userId).executeTakeFirst()
  const strong = methods.filter(method => method !== 'backup_code')
  if (identityId !== null) return ['sso' as const, ...strong]
  return user?.password_hash == null ? strong : [...strong, 'password' as const]
}

async function byPasskey(
  management: ManagementDependencies,
  { userId }: Caller,
  session: Session,
  response: PasskeyResponse,
): Promise<void> {
  const { sql, now } = management
  noteAct({ authenticatedBy: 'passkey' })
  const challenge = challengeIn(response.response.clientDataJSON) ?? ''
  const found = await findChallenge(sql, challenge, 'step_up', now())
  // Of this session alone: the answer to another one's challenge proves nothing here.
  if (found?.bound_to !== session.digest) throw new Refusal('challenge_invalid')
  const proof = await provePasskey(management, response, { challenge, userId })
  await transact(sql, async trx => {
    await usePasskey(trx, proof, now())
    await renew(trx, session, 'passkey', now())
  })
}

async function byCode(management: ManagementDependencies, { userId }: Caller, session: Session, code: string) {
  const { sql, now } = management
  noteAct({ authenticatedBy: 'totp' })
  await withCode(management, userId, { code }, useCode =>
    transact(sql, async trx => {
      await useCode(trx)
      await renew(trx, session, 'totp', now())
    }),
  )
}

interface GivenPassword {
  caller: Caller
  session: Session
  password: string
  clientAddress: string
}

async function byPassword(
  { sql, now }: ManagementDependencies,
  provePassword: ProvePassword,
  { caller, session, password, clientAddress }: GivenPassword,
): Promise<void> {
  noteAct({ authenticatedBy: 'password' })
  if ((await provePassword(caller.email, password, clientAddress)) === null) throw new Refusal('wrong_password')
  await transact(sql, trx => renew(trx, session, null, now()))
}

/** A factor makes the session as strong as one that began with it; a password leaves it as it began. */
async function renew(trx: Transaction<Schema>, session: Session, by: AuthenticatedBy | null, now: number) {
  const renewed = await trx
    .updateTable('sessions')
    .set({ authenticated_at: now, ...(by === null ? {} : { authenticated_by: by }) })
    .where('token_digest', '=', session.digest)
    .returning('token_digest')
    .executeTakeFirst()
  if (renewed === undefined) throw new Refusal('invalid_session')
}
