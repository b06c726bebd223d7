// Dashboard sessions: sign in, read the signed-in user, sign out. Tokens are opaque and stored only as digests.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { Session } from '../plane/caller.ts'
import { type Route, route } from '../plane/route.ts'
import { createSessionCookie } from '../plane/session-cookie.ts'
import { endExternalSession } from './external-sessions.ts'
import { sessionId } from './own-sessions.ts'
import type { ProvePassword } from './prove-password.ts'
import { byPassword, getUser, sessionQuery, sessionSchema, startSession, userSchema } from './start-session.ts'

const loginSchema = z.object({
  email: z.string({ error: 'email is required' }),
  password: z.string({ error: 'password is required' }),
})

/** Null for what is no address: it may be a password in the wrong field. */
function readEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  return /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= 254 ? email.toWellFormed() : null
}

async function endSession(trx: Transaction<Schema>, session: Session | null): Promise<void> {
  const digest = session?.digest ?? ''
  noteAct({ target: { id: sessionId(digest) } })
  if (session?.issuer === 'external') await endExternalSession(trx, session)
  else await trx.deleteFrom('sessions').where('token_digest', '=', digest).execute()
}

export function sessionRoutes(management: ManagementDependencies, provePassword: ProvePassword): Route[] {
  const { sql, settings } = management
  const sessionCookie = createSessionCookie(settings.baseUrl)
  return [
    route({
      method: 'POST',
      path: '/auth/v1/sessions',
      operation: 'createSession',
      audit: { action: 'session.create' },
      summary: 'Sign in with email and password',
      credential: 'none',
      owner: 'none',
      body: loginSchema,
      query: sessionQuery,
      answers: { 200: sessionSchema },
      refusals: ['invalid_login', 'second_factor_required', 'too_many_attempts', 'busy'],
      async handle(input) {
        const { body, clientAddress } = input
        const email = readEmail(body.email)
        noteAct({ actor: { kind: 'user', id: null, name: email }, authenticatedBy: 'password' })
        const proof = await provePassword(body.email, body.password, clientAddress)
        if (proof === null) throw new Refusal('invalid_login')
        noteAct({ actor: { kind: 'user', id: proof.userId, name: email }, target: { id: proof.userId } })
        return await startSession(management, byPassword(proof, 'password'), input)
      },
    }),
    route({
      method: 'GET',
      path: '/auth/v1/sessions/current',
      operation: 'getCurrentUser',
      summary: 'Get the signed-in user',
      credential: 'session',
      owner: 'caller',
      permission: null,
      onlyForPeople: true,
      answers: { 200: userSchema },
      async handle({ caller }) {
        return { status: 200, body: await getUser(management, caller.userId) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/auth/v1/sessions/current',
      operation: 'endCurrentSession',
      audit: { action: 'session.end' },
      summary: 'Sign out; the token becomes invalid at once',
      credential: 'session',
      owner: 'caller',
      permission: null,
      onlyForPeople: true,
      answers: { 204: null },
      async handle({ caller: { session } }) {
        await transact(sql, trx => endSession(trx, session))
        return { status: 204, ...(session?.isCookie ? { headers: { 'set-cookie': sessionCookie.clear() } } : {}) }
      },
    }),
  ]
}
