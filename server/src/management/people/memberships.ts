// Makes a user a member of a tenant, with the event that says so.

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
  const event = { type: 'member_joined', data: { user_id: userId, role } } as const
  await recordTenantEvent(trx, { tenantId, projectId: null, at }, event)
  return true
}
