// Dashboard sessions: signing in, who am I, signing out. Tokens are opaque and stored as digests only.
// A login costs the same time and says the same words whether or not the email is known.

import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { newSessionToken, tokenDigest } from '../../crypto/secrets/credentials.ts'
import { Refusal } from '../../domain/errors.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { clientNetwork } from '../plane/client-network.ts'
import { createFailureLimit } from '../plane/failure-limit.ts'
import { route } from '../plane/route.ts'
import { endExternalSession } from './external-sessions.ts'

const sessionSeconds = 12 * 60 * 60
const failures = { limit: 10, windowSeconds: 15 * 60 }

const userSchema = z.object({
  id: z.string(),
  email: z.string(),
  tenants: z.array(z.object({ id: z.string(), name: z.string(), plan: z.string(), role: z.string() })),
})

export const sessionSchema = z.object({
  session_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  user: userSchema,
})

const loginSchema = z.object({
  email: z.string({ error: 'email is required' }),
  password: z.string({ error: 'password is required' }),
})

export function sessionRoutes(management: ManagementDependencies, login: Login) {
  const { sql } = management
  return [
    route({
      method: 'POST',
      path: '/auth/v1/sessions',
      summary: 'Sign in with email and password',
      credential: 'none',
      owner: 'none',
      body: loginSchema,
      answers: { 200: sessionSchema },
      refusals: ['invalid_login', 'too_many_attempts', 'busy'],
      async handle({ body, clientAddress }) {
        const userId = await login(body.email, body.password, clientAddress)
        return { status: 200, body: await startSession(management, userId) }
      },
    }),
    route({
      method: 'GET',
      path: '/auth/v1/sessions/current',
      summary: 'Get the signed-in user',
      credential: 'session',
      owner: 'caller',
      answers: { 200: userSchema },
      async handle({ caller }) {
        return { status: 200, body: await getUser(management, caller.userId) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/auth/v1/sessions/current',
      summary: 'Sign out; the token becomes invalid at once',
      credential: 'session',
      owner: 'caller',
      answers: { 204: null },
      async handle({ caller: { session } }) {
        if (session?.issuer === 'external') await endExternalSession(sql, session)
        else
          await sql
            .deleteFrom('sessions')
            .where('token_digest', '=', session?.digest ?? '')
            .execute()
        return { status: 204 }
      },
    }),
  ]
}

/** The id of the user whom email and password prove, or a refusal. */
export type Login = (email: string, password: string, clientAddress: string) => Promise<string>

export function createLogin({ sql, passwords, windows }: ManagementDependencies): Login {
  const limitFailures = createFailureLimit(windows)

  async function checkPassword(email: string, password: string): Promise<string | null> {
    const user = await sql
      .selectFrom('users')
      .select(['id', 'password_hash'])
      .where('email', '=', email)
      .executeTakeFirst()
    const matches = await (user?.password_hash == null
      ? passwords.verifyAgainstNothing(password)
      : passwords.verify(user.password_hash, password))
    return matches && user !== undefined ? user.id : null
  }

  return async (givenEmail, password, clientAddress) => {
    const email = givenEmail.trim().toLowerCase()
    const names = [
      `login-failures:email:${tokenDigest(email)}`,
      `login-failures:address:${clientNetwork(clientAddress)}`,
    ]
    const userId = await limitFailures(
      names.map(name => ({ name, ...failures })),
      () => checkPassword(email, password),
    )
    if (userId === null) throw new Refusal('invalid_login')
    return userId
  }
}

/** Opens a session for a user whose identity is proven and answers as a login does. */
export async function startSession(management: ManagementDependencies, userId: string) {
  const { sql, now } = management
  const token = newSessionToken(randomBytes)
  const createdAt = now()
  await sql
    .insertInto('sessions')
    .values({
      token_digest: tokenDigest(token),
      user_id: userId,
      created_at: createdAt,
      expires_at: createdAt + sessionSeconds * 1000,
    })
    .execute()
  return {
    session_token: token,
    token_type: 'Bearer' as const,
    expires_in: sessionSeconds,
    user: await getUser(management, userId),
  }
}

async function getUser({ sql }: ManagementDependencies, userId: string) {
  const user = await sql.selectFrom('users').select(['id', 'email']).where('id', '=', userId).executeTakeFirstOrThrow()
  const tenants = await sql
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id', 'tenants.name', 'tenants.plan', 'memberships.role'])
    .where('memberships.user_id', '=', userId)
    .orderBy('tenants.created_at')
    .orderBy('tenants.id')
    .execute()
  return { ...user, tenants }
}
