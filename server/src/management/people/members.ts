// Members of a tenant: list, invite, change, remove. Nobody becomes a member before accepting: invitations.ts.

import { randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { newInvitationToken, tokenDigest } from '../../crypto/secrets/credentials.ts'
import type { Permission } from '../../domain/access/permissions.ts'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import { recordTenantEvent } from '../../storage/webhooks/tenant-events.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { type ActPlace, rowOf } from '../plane/acts/audit-facts.ts'
import type { Owned } from '../plane/caller.ts'
import { checkEmail } from '../plane/fields.ts'
import { checkHeld, findMemberRole, type Granting, getGrantable, roleField } from '../plane/member-roles.ts'
import { type Route, route } from '../plane/route.ts'
import { openInvitations } from './invitations.ts'
import { withdrawLinks } from './withdraw-links.ts'

const invitationLifeMs = 7 * 24 * 60 * 60 * 1000
const memberSchema = z.object({ id: z.string(), email: z.string(), role: z.string() })

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
      audit: { action: 'member.invite', read: rowOf('invitations', { id: 'target' }) },
      summary: 'Invite a member; the holder of the email joins by accepting the link',
      credential: 'session',
      owner: 'tenant',
      permission: 'members:write',
      body: z.object({ email: checkEmail, role: roleField }),
      answers: { 201: memberSchema.extend({ invite_url: z.string() }) },
      refusals: ['already_member', 'permission_missing'],
      idempotency: 'secret',
      async handle({ owned, body }) {
        return { status: 201, body: await invite(management, owned, body.email, body.role) }
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
      audit: { action: 'member.role', target: 'userId', read: readMember },
      summary: 'Change the role of a member, except of the last owner',
      credential: 'session',
      owner: 'tenant',
      permission: 'members:write',
      body: z.object({ role: roleField }),
      answers: { 200: memberSchema },
      refusals: ['not_found', 'last_owner', 'permission_missing'],
      async handle({ owned, params, body }) {
        const userId = params['userId'] ?? ''
        const member = await transact(sql, trx => changeRole(trx, owned, userId, body.role))
        return { status: 200, body: member }
      },
    }),
    route({
      method: 'DELETE',
      path: '/auth/v1/tenants/:tenantId/members/:userId',
      operation: 'removeMember',
      audit: { action: 'member.remove', target: 'userId', read: readMember },
      summary:
        'Remove a member, leave the tenant, or withdraw the invitation with this id; the last owner cannot be removed',
      credential: 'session',
      owner: 'tenant',
      permission: 'members:write',
      ownIdParam: 'userId',
      answers: { 204: null },
      refusals: ['not_found', 'last_owner', 'permission_missing'],
      async handle({ owned, params }) {
        await transact(sql, trx => removeMember(trx, owned, params['userId'] ?? '', now()))
        return { status: 204 }
      },
    }),
  ]
}

/** The same for an email with and without an account: the response must not reveal which it is. */
async function invite(management: ManagementDependencies, place: Granting, email: string, role: string) {
  return await transact(management.sql, trx => inviteIn(trx, management, place, { email, role }))
}

export async function inviteIn(
  trx: Transaction<Schema>,
  { now, randomId, settings }: ManagementDependencies,
  place: Granting,
  { email, role }: { email: string; role: string },
) {
  const tenantId = place.tenant.id
  const token = newInvitationToken(randomBytes)
  const invitation = { id: randomId(), tenant_id: tenantId, email, role, created_at: now() }
  await lockTenant(trx, tenantId)
  await getGrantable(trx, place, role)
  if (await isMemberByEmail(trx, tenantId, email)) throw new Refusal('already_member')
  // The new link replaces the old one, whose role may have been a mistake.
  await openInvitations(trx, tenantId).where('email', '=', email).execute()
  noteAct({ target: { id: invitation.id, name: email } })
  await trx
    .insertInto('invitations')
    .values({
      ...invitation,
      token_digest: tokenDigest(token),
      expires_at: invitation.created_at + invitationLifeMs,
      used_at: null,
    })
    .execute()
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

const readMembership = rowOf('memberships', { tenant_id: 'tenant', user_id: 'target' })
const readInvitation = rowOf('invitations', { tenant_id: 'tenant', id: 'target' })

/** The route that removes members withdraws invitations too. */
async function readMember(sql: ManagementDependencies['sql'], place: ActPlace) {
  return (await readMembership(sql, place)) ?? (await readInvitation(sql, place))
}

async function changeRole(trx: Transaction<Schema>, owned: Owned, userId: string, role: string) {
  const tenantId = owned.tenant.id
  await lockTenant(trx, tenantId)
  await getGrantable(trx, owned, role)
  const before = await findMemberRole(trx, tenantId, userId)
  if (before === undefined) throw new Refusal('not_found')
  checkHeld(before.permissions, owned.permissions)
  if (before.role === 'owner' && role !== 'owner') await checkOtherOwner(trx, tenantId, userId)
  await applyRole(trx, { tenantId, userId, before, role })
  const { email } = await trx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
  return { id: userId, email, role }
}

interface RoleChange {
  tenantId: string
  userId: string
  before: NonNullable<Awaited<ReturnType<typeof findMemberRole>>>
  role: string
}

/** The caller has checked that the role may be given, and has locked the tenant. */
export async function applyRole(
  trx: Transaction<Schema>,
  { tenantId, userId, before, role }: RoleChange,
): Promise<void> {
  await trx
    .updateTable('memberships')
    .set({ role })
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .execute()
  const after = await findMemberRole(trx, tenantId, userId)
  if (mayManage(before.permissions) && !mayManage(after?.permissions ?? [])) await withdrawLinks(trx, tenantId)
}

async function removeMember(trx: Transaction<Schema>, owned: Owned, userId: string, at: number): Promise<void> {
  const tenantId = owned.tenant.id
  await lockTenant(trx, tenantId)
  const before = await findMemberRole(trx, tenantId, userId)
  if (before === undefined) return await withdrawInvitation(trx, tenantId, userId)
  checkHeld(before.permissions, owned.permissions)
  if (before.role === 'owner') await checkOtherOwner(trx, tenantId, userId)
  await trx.deleteFrom('memberships').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
  await trx.deleteFrom('sessions').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
  if (mayManage(before.permissions)) await withdrawLinks(trx, tenantId)
  const event = { type: 'member_removed', data: { user_id: userId } } as const
  await recordTenantEvent(trx, { tenantId, projectId: null, at }, event)
}

async function withdrawInvitation(trx: Transaction<Schema>, tenantId: string, id: string): Promise<void> {
  const withdrawn = await openInvitations(trx, tenantId).where('id', '=', id).returning('id').executeTakeFirst()
  if (withdrawn === undefined) throw new Refusal('not_found')
}

const mayManage = (permissions: readonly Permission[]) => permissions.includes('members:write')

async function checkOtherOwner(trx: Transaction<Schema>, tenantId: string, userId: string): Promise<void> {
  if (!(await hasOtherOwner(trx, tenantId, userId))) throw new Refusal('last_owner')
}

export async function hasOtherOwner(trx: Transaction<Schema>, tenantId: string, userId: string): Promise<boolean> {
  const other = await trx
    .selectFrom('memberships')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('role', '=', 'owner')
    .where('user_id', '!=', userId)
    .executeTakeFirst()
  return other !== undefined
}
