// Dashboard sessions: sign in, read the signed-in user, sign out. Tokens are opaque and stored only as digests.

import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { createSessionCookie } from '../plane/session-cookie.ts'
import { endExternalSession } from './external-sessions.ts'
import type { ProvePassword } from './prove-password.ts'
import { getUser, sessionQuery, sessionSchema, startSession, userSchema } from './start-session.ts'

const loginSchema = z.object({
  email: z.string({ error: 'email is required' }),
  password: z.string({ error: 'password is required' }),
})

export function sessionRoutes(management: ManagementDependencies, provePassword: ProvePassword): Route[] {
  const { sql, settings } = management
  const sessionCookie = createSessionCookie(settings.baseUrl)
  return [
    route({
      method: 'POST',
      path: '/auth/v1/sessions',
      operation: 'createSession',
      summary: 'Sign in with email and password',
      credential: 'none',
      owner: 'none',
      body: loginSchema,
      query: sessionQuery,
      answers: { 200: sessionSchema },
      refusals: ['invalid_login', 'too_many_attempts', 'busy'],
      async handle(input) {
        const { body, clientAddress } = input
        const proof = await provePassword(body.email, body.password, clientAddress)
        if (proof === null) throw new Refusal('invalid_login')
        return await startSession(management, proof, input)
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
      summary: 'Sign out; the token becomes invalid at once',
      credential: 'session',
      owner: 'caller',
      permission: null,
      onlyForPeople: true,
      answers: { 204: null },
      async handle({ caller: { session } }) {
        if (session?.issuer === 'external') await endExternalSession(sql, session)
        else
          await sql
            .deleteFrom('sessions')
            .where('token_digest', '=', session?.digest ?? '')
            .execute()
        return { status: 204, ...(session?.isCookie ? { headers: { 'set-cookie': sessionCookie.clear() } } : {}) }
      },
    }),
  ]
}
