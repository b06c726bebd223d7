// Deletes a tenant: access to it, its projects and its secrets end at once; the worker erases the rest.

import type { Transaction } from 'kysely'
import { Refusal } from '../../domain/errors.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { checkConfirmation, confirmationOf } from '../plane/fields.ts'
import { type Route, route } from '../plane/route.ts'

const confirmWords = 'confirm must be the name of the tenant'
/** Databases limit the number of values in a statement. */
const slugsAtOnce = 500

export function deleteTenantRoutes({ sql, kv, pushToStore, now, log }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/auth/v1/tenants/:tenantId',
      operation: 'deleteTenant',
      audit: {
        action: 'tenant.delete',
        target: 'tenantId',
        ofInstallation: true,
        read: rowOf('tenants', { id: 'tenant' }),
      },
      summary: 'Delete a tenant without active projects permanently, with all its data',
      credential: 'session',
      owner: 'tenant',
      permission: 'tenant:write',
      body: confirmationOf(confirmWords),
      answers: { 204: null },
      refusals: ['tenant_has_projects'],
      async handle({ caller, owned, body }) {
        const { id, name } = owned.tenant
        checkConfirmation(body.confirm, name, confirmWords)
        await transact(sql, trx => remove(trx, id, caller.userId, now()))
        await pushToStore(`tenant ${id}`, () => kv.forgetTenant(id), { tenant_id: id })
        log.info('tenant deleted', { tenant_id: id })
        return { status: 204 }
      },
    }),
  ]
}

async function remove(trx: Transaction<Schema>, tenantId: string, callerId: string, deletedAt: number): Promise<void> {
  // Creating and reactivating a project takes the same lock.
  await lockTenant(trx, tenantId)
  const active = await trx
    .selectFrom('projects')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'active')
    .limit(1)
    .executeTakeFirst()
  if (active !== undefined) throw new Refusal('tenant_has_projects')
  await removeProjects(trx, tenantId, deletedAt)
  await removePeople(trx, tenantId, callerId)
  await trx.deleteFrom('provider_keys').where('tenant_id', '=', tenantId).execute()
  // The worker erases the deliveries, which nothing sends any more.
  await trx.deleteFrom('webhooks').where('tenant_id', '=', tenantId).execute()
  await trx.updateTable('tenants').set({ deleted_at: deletedAt }).where('id', '=', tenantId).execute()
}

async function removeProjects(trx: Transaction<Schema>, tenantId: string, deletedAt: number): Promise<void> {
  const removed = await trx
    .updateTable('projects')
    .set({ deleted_at: deletedAt })
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .returning('slug')
    .execute()
  for (let first = 0; first < removed.length; first += slugsAtOnce) {
    const slugs = removed.slice(first, first + slugsAtOnce).map(({ slug }) => ({ slug, retired_at: deletedAt }))
    await trx.insertInto('retired_slugs').values(slugs).execute()
  }
}

/** Users stay. The sessions of users without another tenant end, except the caller's. */
async function removePeople(trx: Transaction<Schema>, tenantId: string, callerId: string): Promise<void> {
  await trx
    .deleteFrom('sessions')
    .where('user_id', '!=', callerId)
    .where('user_id', 'in', row => row.selectFrom('memberships').select('user_id').where('tenant_id', '=', tenantId))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships')
            .select('tenant_id')
            .whereRef('memberships.user_id', '=', 'sessions.user_id')
            .where('tenant_id', '!=', tenantId),
        ),
      ),
    )
    .execute()
  await trx.deleteFrom('sessions').where('tenant_id', '=', tenantId).where('user_id', '!=', callerId).execute()
  await trx.deleteFrom('sso_connections').where('tenant_id', '=', tenantId).execute()
  await trx.deleteFrom('sso_domains').where('tenant_id', '=', tenantId).execute()
  await trx.deleteFrom('memberships').where('tenant_id', '=', tenantId).execute()
  await trx.deleteFrom('service_accounts').where('tenant_id', '=', tenantId).execute()
  await trx.deleteFrom('invitations').where('tenant_id', '=', tenantId).execute()
  await trx.deleteFrom('password_resets').where('tenant_id', '=', tenantId).execute()
}
