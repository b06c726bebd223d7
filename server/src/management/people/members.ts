// Members of a tenant: list, invite, change, remove. Nobody becomes a member before accepting: invitations.ts.

import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { newInvitationToken, tokenDigest } from '../../crypto/secrets/credentials.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import { recordTenantEvent } from '../../storage/webhooks/tenant-events.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { checkEmail } from '../plane/fields.ts'
import { roleSchema } from '../plane/member-role.ts'
import { type Route, route } from '../plane/route.ts'
import { openInvitations } from './invitations.ts'
import { withdrawResetLinks } from './passwords.ts'

const invitationLifeMs = 7 * 24 * 60 * 60 * 1000
const memberSchema = z.object({ id: z.string(), email: z.string(), role: roleSchema })

export function memberRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      method: 'GET',
      path: '/auth/v1/tenants/:tenantId/members',
      operation: 'listMembers',
      summary: 'List the members of a tenant',
      credential: 'session',
      owner: 'tenant',
      permission: 'project:read',
      answers: { 200: z.array(memberSchema) },
      async handle({ owned }) {
        const members = await sql
          .selectFrom('memberships')
          .innerJoin('users', 'users.id', 'memberships.user_id')
          .select(['users.id', 'users.email', 'memberships.role'])
          .where('memberships.tenant_id', '=', owned.tenant.id)
          .orderBy('memberships.created_at')
          .orderBy('users.id')
          .execute()
        return { status: 200, body: members }
      },
    }),
    route({
      method: 'POST',
      path: '/auth/v1/tenants/:tenantId/members',
      operation: 'addMember',
      summary: 'Invite a member; whoever has the email joins by accepting the link',
      credential: 'session',
      owner: 'tenant',
      permission: 'members:write',
      body: z.object({ email: checkEmail, role: roleSchema }),
      answers: { 201: memberSchema.extend({ invite_url: z.string() }) },
      refusals: ['already_member'],
      idempotency: 'secret',
      async handle({ owned, body }) {
        return { status: 201, body: await invite(management, owned.tenant.id, body.email, body.role) }
      },
    }),
    ...oneMemberRoutes(management),
  ]
}

function oneMemberRoutes({ sql, now }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'PATCH',
      path: '/auth/v1/tenants/:tenantId/members/:userId',
      operation: 'changeMemberRole',
      summary: 'Change the role of a member, except of the last owner',
      credential: 'session',
      owner: 'tenant',
      permission: 'members:write',
      body: z.object({ role: roleSchema }),
      answers: { 200: memberSchema },
      refusals: ['not_found', 'last_owner'],
      async handle({ owned, params, body }) {
        const userId = params['userId'] ?? ''
        const member = await transact(sql, trx => changeRole(trx, owned.tenant.id, userId, body.role))
        return { status: 200, body: member }
      },
    }),
    route({
      method: 'DELETE',
      path: '/auth/v1/tenants/:tenantId/members/:userId',
      operation: 'removeMember',
      summary:
        'Remove a member, leave the tenant, or withdraw the invitation with this id; the last owner cannot be removed',
      credential: 'session',
      owner: 'tenant',
      permission: 'members:write',
      ownIdParam: 'userId',
      answers: { 204: null },
      refusals: ['not_found', 'last_owner'],
      async handle({ owned, params }) {
        await transact(sql, trx => removeMember(trx, owned.tenant.id, params['userId'] ?? '', now()))
        return { status: 204 }
      },
    }),
  ]
}

type Role = z.infer<typeof roleSchema>

/** The same for an email with and without an account: the response must not reveal which it is. */
export async function invite(management: ManagementDependencies, tenantId: string, email: string, role: Role) {
  const { sql, now, randomId, settings } = management
  const token = newInvitationToken(randomBytes)
  const invitation = { id: randomId(), tenant_id: tenantId, email, role, created_at: now() }
  await transact(sql, async trx => {
    await lockTenant(trx, tenantId)
    if (await isMemberByEmail(trx, tenantId, email)) throw new Refusal('already_member')
    // The new link replaces the old one, whose role may have been a mistake.
    await openInvitations(trx, tenantId).where('email', '=', email).execute()
    await trx
      .insertInto('invitations')
      .values({
        ...invitation,
        token_digest: tokenDigest(token),
        expires_at: invitation.created_at + invitationLifeMs,
        used_at: null,
      })
      .execute()
  })
  return { id: invitation.id, email, role, invite_url: `${settings.baseUrl}/invite#token=${token}` }
}

async function isMemberByEmail(trx: Transaction<Schema>, tenantId: string, email: string): Promise<boolean> {
  const member = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .where('memberships.tenant_id', '=', tenantId)
    .where('users.email', '=', email)
    .executeTakeFirst()
  return member !== undefined
}

async function changeRole(trx: Transaction<Schema>, tenantId: string, userId: string, role: Role) {
  await lockTenant(trx, tenantId)
  const wasOwner = role !== 'owner' && (await checkOtherOwner(trx, tenantId, userId))
  const changed = await trx
    .updateTable('memberships')
    .set({ role })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst()
  if (changed === undefined) throw new Refusal('not_found')
  if (wasOwner) await withdrawLinks(trx, tenantId)
  const { email } = await trx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
  return { id: userId, email, role }
}

async function removeMember(trx: Transaction<Schema>, tenantId: string, userId: string, at: number): Promise<void> {
  await lockTenant(trx, tenantId)
  const isOwner = await checkOtherOwner(trx, tenantId, userId)
  const removed = await trx
    .deleteFrom('memberships')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst()
  if (isOwner) await withdrawLinks(trx, tenantId)
  if (removed !== undefined) {
    const event = { type: 'member_removed', data: { user_id: userId } } as const
    return await recordTenantEvent(trx, { tenantId, projectId: null, at }, event)
  }
  const withdrawn = await openInvitations(trx, tenantId).where('id', '=', userId).returning('id').executeTakeFirst()
  if (withdrawn === undefined) throw new Refusal('not_found')
}

/** Returns whether the user is an owner. Throws if there is no other owner. */
async function checkOtherOwner(trx: Transaction<Schema>, tenantId: string, userId: string): Promise<boolean> {
  const owners = await trx
    .selectFrom('memberships')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('role', '=', 'owner')
    .execute()
  const isOwner = owners.some(owner => owner.user_id === userId)
  if (isOwner && owners.length === 1) throw new Refusal('last_owner')
  return isOwner
}

/** A former owner may have seen the open links, and could regain access through them. */
async function withdrawLinks(trx: Transaction<Schema>, tenantId: string): Promise<void> {
  await openInvitations(trx, tenantId).execute()
  await withdrawResetLinks(trx, tenantId)
}
