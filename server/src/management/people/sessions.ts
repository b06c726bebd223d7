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

const currentSchema = userSchema.extend({
  sso: z
    .object({ tenant_id: z.string().nullable(), start: z.string() })
    .optional()
    .meta({ description: 'If a single sign-on opened the session: whose, and where its user signs in again' }),
})

/** Null for what is no address: it may be a password in the wrong field. */
function readEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  return /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= 254 ? email.toWellFormed() : null
}

/** `fresh` has the identity provider ask again who it is. */
function describeSignOn(session: Session | null) {
  if (session?.identityId == null) return {}
  const { tenantId } = session
  const query = new URLSearchParams({ ...(tenantId === null ? {} : { tenant: tenantId }), fresh: 'true' })
  return { sso: { tenant_id: tenantId, start: `/auth/v1/sso/start?${query}` } }
}

async function endSession(trx: Transaction<Schema>, session: Session | null): Promise<void> {
  const digest = session?.digest ?? ''
  noteAct({ target: { id: sessionId(digest) } })
  if (session?.issuer === 'external') await endExternalSession(trx, session)
  else await trx.deleteFrom('sessions').where('token_digest', '=', digest).execute()
}

const ofCurrent = {
  path: '/auth/v1/sessions/current',
  credential: 'session',
  owner: 'caller',
  permission: null,
  onlyForPeople: true,
  inTenantSession: true,
} as const

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
      ...ofCurrent,
      method: 'GET',
      operation: 'getCurrentUser',
      summary: 'Get the signed-in user',
      answers: { 200: currentSchema },
      async handle({ caller: { userId, session } }) {
        const user = await getUser(management, userId, session?.tenantId)
        return { status: 200, body: { ...user, ...describeSignOn(session) } }
      },
    }),
    route({
      ...ofCurrent,
      method: 'DELETE',
      operation: 'endCurrentSession',
      audit: { action: 'session.end' },
      summary: 'Sign out; the token becomes invalid at once',
      answers: { 204: null },
      async handle({ caller: { session } }) {
        await transact(sql, trx => endSession(trx, session))
        return { status: 204, ...(session?.isCookie ? { headers: { 'set-cookie': sessionCookie.clear() } } : {}) }
      },
    }),
  ]
}
