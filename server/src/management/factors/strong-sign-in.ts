// Signs in with more than a password: a second factor after it, or a passkey alone.

import { z } from 'zod'
import { challengeIn, type PasskeyResponse } from '../../crypto/factors/passkeys.ts'
import { tokenDigest } from '../../crypto/secrets/credentials.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import { findChallenge, makeChallenge, useChallenge } from '../../storage/factors/challenges.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Opener, type SignIn, sessionQuery, sessionSchema, startSession } from '../people/start-session.ts'
import { clientNetwork } from '../plane/client-network.ts'
import { type Route, route } from '../plane/route.ts'
import { backupCodeField, codeField, isExactlyOne, passkeyField, requestOptionsSchema } from './factor-fields.ts'
import { type GivenCode, withCode } from './prove-code.ts'
import { provePasskey, requestOptions, usePasskey } from './prove-passkey.ts'

/** Of strangers, by network: each begins with a row in the database. */
const allowedOptions = { limit: 100, windowSeconds: 60 }

const common = { method: 'POST', credential: 'none', owner: 'none' } as const
const proofWords = 'Give exactly one of code, backup_code and passkey'

export function strongSignInRoutes(management: ManagementDependencies): Route[] {
  return [
    route({
      ...common,
      path: '/auth/v1/sessions/second-factor',
      operation: 'proveSecondFactor',
      audit: { action: 'session.create' },
      summary: 'Go on with a sign-in that needs a second factor',
      body: z.object({
        challenge: z.string({ error: 'challenge is required' }).max(64, { error: 'challenge is too long' }),
        code: codeField().optional(),
        backup_code: backupCodeField.optional(),
        passkey: passkeyField('passkey').optional(),
      }),
      query: sessionQuery,
      answers: { 200: sessionSchema },
      refusals: ['challenge_invalid', 'wrong_code', 'codes_locked', 'passkey_refused', 'invalid_login'],
      async handle(input) {
        const { challenge, passkey, ...code } = input.body
        if (!isExactlyOne([code.code, code.backup_code, passkey])) {
          throw new Refusal('validation_failed', { message: proofWords })
        }
        const asked = await getAsked(management, challenge)
        if (passkey === undefined) return await signInByCode(management, asked, code, input)
        return await signInByPasskey(management, passkey, asked, input)
      },
    }),
    route({
      ...common,
      path: '/auth/v1/sessions/passkey/options',
      operation: 'beginPasskeySignIn',
      audit: null,
      summary: 'Get what a browser needs to sign in with a passkey, without an email',
      answers: { 200: requestOptionsSchema },
      refusals: ['too_many_attempts', 'database_unavailable'],
      async handle({ clientAddress }) {
        const { sql, now, windows } = management
        const name = `passkey-options:${clientNetwork(clientAddress)}`
        const taken = await windows.take([{ name, ...allowedOptions }])
        if (!taken.admitted) throw new Refusal('too_many_attempts', { retryAfterSeconds: taken.retryAfterSeconds })
        const challenge = await makeChallenge(sql, { purpose: 'sign_in', user_id: null, bound_to: null }, now())
        return { status: 200, body: requestOptions(management, challenge) }
      },
    }),
    passkeySignInRoute(management),
  ]
}

function passkeySignInRoute(management: ManagementDependencies): Route {
  return route({
    ...common,
    path: '/auth/v1/sessions/passkey',
    operation: 'signInWithPasskey',
    audit: { action: 'session.create' },
    summary: 'Sign in with a passkey',
    body: z.object({ response: passkeyField('response') }),
    query: sessionQuery,
    answers: { 200: sessionSchema },
    refusals: ['challenge_invalid', 'passkey_refused'],
    async handle(input) {
      const { sql, now } = management
      const { response } = input.body
      noteAct({ authenticatedBy: 'passkey' })
      const challenge = challengeIn(response.response.clientDataJSON) ?? ''
      const found = await findChallenge(sql, challenge, 'sign_in', now())
      if (found === undefined) throw new Refusal('challenge_invalid')
      return await signInByPasskey(management, response, { challenge, userId: null, boundTo: null }, input)
    },
  })
}

interface Asked {
  challenge: string
  userId: string | null
  /** The digest of the password's hash that was right before. */
  boundTo: string | null
}

async function getAsked({ sql, now }: ManagementDependencies, challenge: string): Promise<Asked & { userId: string }> {
  const found = await findChallenge(sql, challenge, 'second_factor', now())
  if (found?.user_id == null) throw new Refusal('challenge_invalid')
  await noteActor(sql, found.user_id)
  return { challenge, userId: found.user_id, boundTo: found.bound_to }
}

async function noteActor(sql: ManagementDependencies['sql'], userId: string): Promise<void> {
  const user = await sql.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst()
  noteAct({ actor: { kind: 'user', id: userId, name: user?.email ?? null }, target: { id: userId } })
}

async function signInByCode(
  management: ManagementDependencies,
  asked: Asked & { userId: string },
  given: GivenCode,
  opener: Opener,
) {
  const { userId, challenge } = asked
  const authenticatedBy = given.backup_code === undefined ? 'totp' : 'backup_code'
  noteAct({ authenticatedBy })
  return await withCode(management, userId, given, async useCode => {
    const confirm: SignIn['confirm'] = async (account, trx) => {
      checkBound(asked, account)
      if (!(await useChallenge(trx, challenge))) throw new Refusal('challenge_invalid')
      await useCode(trx)
    }
    return await startSession(management, { userId, authenticatedBy, confirm }, opener)
  })
}

async function signInByPasskey(
  management: ManagementDependencies,
  response: PasskeyResponse,
  asked: Asked,
  opener: Opener,
) {
  noteAct({ authenticatedBy: 'passkey' })
  const proof = await provePasskey(management, response, asked)
  if (asked.userId === null) await noteActor(management.sql, proof.userId)
  const signIn: SignIn = {
    userId: proof.userId,
    authenticatedBy: 'passkey',
    async confirm(account, trx) {
      checkBound(asked, account)
      await usePasskey(trx, proof, management.now())
    },
  }
  return await startSession(management, signIn, opener)
}

/** A password that was changed since ends what it began. */
function checkBound({ boundTo }: Asked, { password_hash }: { password_hash: string | null }): void {
  if (boundTo !== null && boundTo !== tokenDigest(password_hash ?? '')) throw new Refusal('invalid_login')
}
