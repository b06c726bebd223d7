// Makes a user a member of a tenant, with the event that says so. Once an account joins a second tenant, the first one
// cannot reset it any more.

import type { Transaction } from 'kysely'
import type { Schema } from '../../storage/schema.ts'
import { recordTenantEvent } from '../../storage/webhooks/tenant-events.ts'

interface NewMembership {
  tenantId: string
  userId: string
  role: Schema['memberships']['role']
  at: number
}

/** Returns false if the user is a member already, whose role then stays. */
export async function addMembership(
  trx: Transaction<Schema>,
  { tenantId, userId, role, at }: NewMembership,
): Promise<boolean> {
  const added = await trx
    .insertInto('memberships')
    .values({ tenant_id: tenantId, user_id: userId, role, created_at: at })
    .onConflict(conflict => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (added === undefined) return false
  await leaveHome(trx, userId, tenantId)
  const event = { type: 'member_joined', data: { user_id: userId, role } } as const
  await recordTenantEvent(trx, { tenantId, projectId: null, at }, event)
  return true
}

/** Called when the user joins a tenant: from then on only the operator resets the account, unless it is its home. */
export async function leaveHome(trx: Transaction<Schema>, userId: string, tenantId: string): Promise<void> {
  await trx
    .updateTable('users')
    .set({ home_tenant_id: null })
    .where('id', '=', userId)
    .where('home_tenant_id', '!=', tenantId)
    .execute()
}
