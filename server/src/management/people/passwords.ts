// Sets new passwords: with the current password, or with a reset link that an owner or the operator creates. A link
// works once, for an hour; only a digest of its token is stored. In both cases all other sessions of the user end.

import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { newInvitationToken, tokenDigest } from '../../crypto/secrets/credentials.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import type { Caller } from '../plane/caller.ts'
import { clientNetwork } from '../plane/client-network.ts'
import { createFailureLimit } from '../plane/failure-limit.ts'
import { checkPassword, passwordField } from '../plane/fields.ts'
import { checkHeld, findMemberRole } from '../plane/member-roles.ts'
import { type Route, route } from '../plane/route.ts'
import { endOtherSessions } from './own-sessions.ts'
import { allowedFailures, type ProvePassword } from './prove-password.ts'
import { byPassword, getUser, sessionQuery, sessionSchema, startSession, userSchema } from './start-session.ts'

const linkLifeMs = 60 * 60 * 1000
const linkSchema = z.object({ reset_url: z.string() })

export function passwordRoutes(management: ManagementDependencies, provePassword: ProvePassword): Route[] {
  const { sql, windows } = management
  const limitFailures = createFailureLimit(windows)
  return [
    route({
      method: 'PUT',
      path: '/auth/v1/users/current/password',
      operation: 'changePassword',
      audit: { action: 'account.change_password', read: rowOf('users', { id: 'target' }) },
      summary: 'Set a new password; all other sessions end',
      credential: 'session',
      owner: 'caller',
      permission: null,
      onlyForPeople: true,
      body: z.object({
        current_password: z.string({ error: 'current_password is required' }),
        new_password: passwordField('new_password'),
      }),
      answers: { 200: userSchema },
      refusals: ['wrong_password', 'too_many_attempts', 'busy'],
      async handle({ caller, body, clientAddress }) {
        const proof = await provePassword(caller.email, body.current_password, clientAddress)
        if (proof === null) throw new Refusal('wrong_password')
        const passwordHash = await management.passwords.hash(body.new_password)
        await transact(sql, trx => changePassword(trx, caller, proof.passwordHash, passwordHash))
        return { status: 200, body: await getUser(management, caller.userId) }
      },
    }),
    ...linkRoutes(management),
    route({
      method: 'POST',
      path: '/auth/v1/password-resets/accept',
      operation: 'acceptPasswordReset',
      audit: { action: 'account.reset_password' },
      summary: 'Set a new password with a reset link and sign in; all other sessions end',
      credential: 'none',
      owner: 'none',
      body: z.object({ token: z.string({ error: 'token is required' }), password: checkPassword }),
      query: sessionQuery,
      answers: { 200: sessionSchema },
      refusals: ['reset_not_found', 'second_factor_required', 'too_many_attempts', 'busy'],
      async handle(input) {
        const { token, password } = input.body
        const digest = tokenDigest(token)
        // An unknown token must not cost a password hash.
        const name = `reset-failures:address:${clientNetwork(input.clientAddress)}`
        const link = await limitFailures([{ name, ...allowedFailures }], () => findLink(management, digest))
        if (link === null) throw new Refusal('reset_not_found')
        const passwordHash = await management.passwords.hash(password)
        noteAct({ authenticatedBy: 'reset_link' })
        const userId = await transact(sql, trx => useLink(trx, management, digest, passwordHash))
        return await startSession(management, byPassword({ userId, passwordHash }, 'reset_link'), input)
      },
    }),
  ]
}

function linkRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      method: 'POST',
      path: '/auth/v1/tenants/:tenantId/members/:userId/reset-link',
      operation: 'createMemberResetLink',
      audit: { action: 'user.reset_link', target: 'userId' },
      onlyForPeople: true,
      summary: 'Create a link with which a member can set a new password once, within an hour',
      credential: 'session',
      owner: 'tenant',
      permission: 'members:write',
      answers: { 201: linkSchema },
      refusals: ['not_found', 'operator_resets', 'permission_missing'],
      idempotency: 'secret',
      async handle({ caller, owned, params }) {
        const userId = params['userId'] ?? ''
        const maker = { tenantId: owned.tenant.id, madeBy: caller.userId }
        const body = await transact(sql, async trx => {
          const member = await findMemberRole(trx, owned.tenant.id, userId)
          if (member === undefined) throw new Refusal('not_found')
          // The link gives its user everything that the member may do.
          checkHeld(member.permissions, owned.permissions)
          if (!(await mayReset(trx, owned.tenant.id, userId))) throw new Refusal('operator_resets')
          return await makeLink(trx, management, userId, maker)
        })
        return { status: 201, body }
      },
    }),
    route({
      method: 'POST',
      path: '/v1/admin/users/:userId/reset-link',
      operation: 'createUserResetLink',
      audit: { action: 'user.reset_link', target: 'userId' },
      summary: 'Create a link with which any user can set a new password once, within an hour',
      credential: 'admin-secret',
      owner: 'none',
      answers: { 201: linkSchema },
      refusals: ['not_found'],
      idempotency: 'secret',
      async handle({ params }) {
        const userId = params['userId'] ?? ''
        const body = await transact(sql, async trx => {
          const user = await trx.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst()
          if (user === undefined) throw new Refusal('not_found')
          return await makeLink(trx, management, userId, { tenantId: null, madeBy: null })
        })
        return { status: 201, body }
      },
    }),
  ]
}

/** The check of the current password took time: it must not have been changed meanwhile. */
async function changePassword(
  trx: Transaction<Schema>,
  caller: Caller,
  provenHash: string,
  passwordHash: string,
): Promise<void> {
  const changed = await trx
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', caller.userId)
    .where('password_hash', '=', provenHash)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) throw new Refusal('wrong_password')
  await trx.deleteFrom('password_resets').where('user_id', '=', caller.userId).execute()
  await endOtherSessions(trx, caller)
}

interface Maker {
  tenantId: string | null
  /** Null for the operator. */
  madeBy: string | null
}

/** Replaces an earlier link of the user. */
async function makeLink(
  trx: Transaction<Schema>,
  { now, settings }: ManagementDependencies,
  userId: string,
  { tenantId, madeBy }: Maker,
) {
  const token = newInvitationToken(randomBytes)
  const createdAt = now()
  await trx.deleteFrom('password_resets').where('user_id', '=', userId).execute()
  await trx
    .insertInto('password_resets')
    .values({
      token_digest: tokenDigest(token),
      user_id: userId,
      tenant_id: tenantId,
      made_by: madeBy,
      created_at: createdAt,
      expires_at: createdAt + linkLifeMs,
    })
    .execute()
  return { reset_url: `${settings.baseUrl}/reset#token=${token}` }
}

async function findLink({ sql, now }: ManagementDependencies, digest: string) {
  const link = await sql
    .selectFrom('password_resets')
    .select('user_id')
    .where('token_digest', '=', digest)
    .where('expires_at', '>', now())
    .executeTakeFirst()
  return link ?? null
}

async function useLink(
  trx: Transaction<Schema>,
  { now }: ManagementDependencies,
  digest: string,
  passwordHash: string,
): Promise<string> {
  const link = await trx
    .deleteFrom('password_resets')
    .where('token_digest', '=', digest)
    .where('expires_at', '>', now())
    .returning(['user_id', 'tenant_id', 'made_by'])
    .executeTakeFirst()
  if (link === undefined || !(await mayStillReset(trx, link))) throw new Refusal('reset_not_found')
  noteAct({ actor: { kind: 'user', id: link.user_id, name: null }, target: { id: link.user_id } })
  await trx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', link.user_id).execute()
  await trx.deleteFrom('password_resets').where('user_id', '=', link.user_id).execute()
  await trx.deleteFrom('sessions').where('user_id', '=', link.user_id).execute()
  return link.user_id
}

type Link = Pick<Schema['password_resets'], 'user_id' | 'tenant_id' | 'made_by'>

/** After an owner created the link, the user may have left the tenant, or joined another one. */
async function mayStillReset(trx: Transaction<Schema>, link: Link): Promise<boolean> {
  if (link.made_by === null || link.tenant_id === null) return true
  const stillMember = await isMember(trx, link.tenant_id, link.user_id)
  return stillMember && (await mayReset(trx, link.tenant_id, link.user_id))
}

async function mayReset(trx: Transaction<Schema>, tenantId: string, userId: string): Promise<boolean> {
  return (await isHome(trx, tenantId, userId)) && !(await isBreakGlass(trx, tenantId, userId))
}

async function isMember(trx: Transaction<Schema>, tenantId: string, userId: string): Promise<boolean> {
  const membership = await trx
    .selectFrom('memberships')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return membership !== undefined
}

/** Whether this tenant's invitation made the account, and it never belonged to another tenant. */
async function isHome(trx: Transaction<Schema>, tenantId: string, userId: string): Promise<boolean> {
  const user = await trx.selectFrom('users').select('home_tenant_id').where('id', '=', userId).executeTakeFirst()
  return user?.home_tenant_id === tenantId
}

/** Theirs is the one password that opens a tenant which requires its single sign-on: a reset would get around that. */
async function isBreakGlass(trx: Transaction<Schema>, tenantId: string, userId: string): Promise<boolean> {
  const connection = await trx
    .selectFrom('sso_connections')
    .select('tenant_id')
    .where('tenant_id', '=', tenantId)
    .where('break_glass_user_id', '=', userId)
    .where('required', '=', 1)
    .executeTakeFirst()
  return connection !== undefined
}

/** Called when a member may manage members no more: the links that they may have seen must stop working. */
export async function withdrawResetLinks(trx: Transaction<Schema>, tenantId: string): Promise<void> {
  await trx.deleteFrom('password_resets').where('tenant_id', '=', tenantId).execute()
}
