// Opens a session for an authenticated user, and returns it with the user.

import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { newSessionToken, tokenDigest } from '../../crypto/secrets/credentials.ts'
import { type AuthenticatedBy, authentications } from '../../domain/access/authentications.ts'
import { permissionNames } from '../../domain/access/permissions.ts'
import { permissionsOf } from '../../domain/access/roles.ts'
import { Refusal } from '../../domain/errors.ts'
import { listMethods } from '../../storage/factors/account-factors.ts'
import { makeChallenge } from '../../storage/factors/challenges.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { RouteInput } from '../plane/route.ts'
import { createSessionCookie } from '../plane/session-cookie.ts'
import type { Proof } from './prove-password.ts'

export const sessionSeconds = 12 * 60 * 60
const maxUserAgent = 512

export const userSchema = z.object({
  id: z.string(),
  email: z.string(),
  tenants: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      plan: z.string(),
      role: z.string(),
      permissions: z.array(z.enum(permissionNames)),
    }),
  ),
})

const opened = { expires_in: z.int(), user: userSchema }
/** With the token, or without it if the session is in a cookie. */
export const sessionSchema = z.union([
  z.object({ session_token: z.string(), token_type: z.literal('Bearer'), ...opened }),
  z.object(opened),
])

/** The query of every route that opens a session. */
export const sessionQuery = z.object({
  cookie: z.enum(['true', 'false'], { error: 'cookie must be true or false' }).optional(),
})

/** The part of the request that opens a session. */
export type Opener = Pick<RouteInput<unknown, z.output<typeof sessionQuery>>, 'clientAddress' | 'header' | 'query'>

/** Whose session begins, and by what they proved who they are. */
export interface SignIn {
  userId: string
  authenticatedBy: AuthenticatedBy
  /** Runs in the transaction that opens the session, with the account locked: throws if the proof holds no more. */
  confirm(account: { password_hash: string | null }, trx: Transaction<Schema>): Promise<void>
  /** Of a password: what a second factor is asked with. */
  passwordHash?: string
}

/** If the password was changed since it was verified, all other sessions ended: none may begin. */
export function byPassword(
  { userId, passwordHash }: Pick<Proof, 'userId' | 'passwordHash'>,
  authenticatedBy: AuthenticatedBy,
): SignIn {
  return {
    userId,
    authenticatedBy,
    passwordHash,
    async confirm({ password_hash }) {
      if (password_hash !== passwordHash) throw new Refusal('invalid_login')
    },
  }
}

/** Returns the response of a login. */
export async function startSession(management: ManagementDependencies, signIn: SignIn, opener: Opener) {
  const { sql, settings } = management
  const token = await transact(sql, trx => openSession(trx, management, signIn, opener)).catch(async error => {
    if (!(error instanceof Refusal) || error.code !== 'second_factor_required') throw error
    throw await askSecondFactor(management, signIn)
  })
  const user = await getUser(management, signIn.userId)
  const body = { expires_in: sessionSeconds, user }
  if (opener.query.cookie !== 'true')
    return { status: 200, body: { session_token: token, token_type: 'Bearer', ...body } }
  const cookie = createSessionCookie(settings.baseUrl).set(token, sessionSeconds)
  return { status: 200, body, headers: { 'set-cookie': cookie } }
}

/** The refusal with which a sign-in by password goes on. */
export async function askSecondFactor(
  { sql, now }: Pick<ManagementDependencies, 'sql' | 'now'>,
  { userId, passwordHash = '' }: Pick<SignIn, 'userId' | 'passwordHash'>,
): Promise<Refusal> {
  const about = { purpose: 'second_factor', user_id: userId, bound_to: tokenDigest(passwordHash) } as const
  const challenge = await makeChallenge(sql, about, now())
  return new Refusal('second_factor_required', {
    secondFactor: { challenge, methods: await listMethods(sql, userId) },
  })
}

async function openSession(
  trx: Transaction<Schema>,
  { now }: ManagementDependencies,
  { userId, authenticatedBy, confirm }: SignIn,
  opener: Opener,
): Promise<string> {
  const token = newSessionToken(randomBytes)
  const createdAt = now()
  const account = await trx
    .updateTable('users')
    .set(row => ({ email: row.ref('email') }))
    .where('id', '=', userId)
    .returning(['password_hash', 'second_factor_since'])
    .executeTakeFirst()
  if (account === undefined) throw new Refusal('invalid_login')
  await confirm(account, trx)
  if (account.second_factor_since !== null && !authentications[authenticatedBy].isStrong) {
    throw new Refusal('second_factor_required')
  }
  await trx
    .insertInto('sessions')
    .values({
      ...describeSession(opener, createdAt),
      token_digest: tokenDigest(token),
      user_id: userId,
      authenticated_at: createdAt,
      authenticated_by: authenticatedBy,
    })
    .execute()
  return token
}

/** What each new session says of the request that opens it. */
export function describeSession(opener: Pick<Opener, 'clientAddress' | 'header'>, createdAt: number) {
  return {
    created_at: createdAt,
    expires_at: createdAt + sessionSeconds * 1000,
    last_seen_at: createdAt,
    address: opener.clientAddress,
    user_agent: opener.header('user-agent')?.slice(0, maxUserAgent) ?? null,
  }
}

/** With the tenants that a session reaches: one of a tenant's single sign-on reaches that tenant only. */
export async function getUser(
  { sql }: Pick<ManagementDependencies, 'sql'>,
  userId: string,
  tenantId: string | null = null,
) {
  const user = await sql.selectFrom('users').select(['id', 'email']).where('id', '=', userId).executeTakeFirstOrThrow()
  const tenants = await sql
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .leftJoin('roles', join =>
      join.onRef('roles.tenant_id', '=', 'memberships.tenant_id').onRef('roles.name', '=', 'memberships.role'),
    )
    .select(['tenants.id', 'tenants.name', 'tenants.plan', 'memberships.role', 'roles.permissions'])
    .where('memberships.user_id', '=', userId)
    .where('tenants.deleted_at', 'is', null)
    .$if(tenantId !== null, of => of.where('tenants.id', '=', tenantId))
    .orderBy('tenants.created_at')
    .orderBy('tenants.id')
    .execute()
  return { ...user, tenants: tenants.map(row => ({ ...row, permissions: permissionsOf(row.role, row.permissions) })) }
}
