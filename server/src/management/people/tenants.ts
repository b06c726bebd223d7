// Tenants: created by a user, who becomes the owner; listed, read and renamed by their members.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import type { Owned, ServiceAccount } from '../plane/caller.ts'
import { checkName } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { provesMore } from '../plane/ownership.ts'
import { route } from '../plane/route.ts'
import { leaveHome } from './memberships.ts'

const tenantSchema = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(['free', 'pro']),
  created_at: z.string(),
})
const listedTenantSchema = tenantSchema.extend({ role: z.string() })
const oneTenantSchema = tenantSchema.extend({ require_second_factor: z.boolean() })

export function tenantRoutes(management: ManagementDependencies) {
  const { sql, settings } = management
  return [
    route({
      method: 'POST',
      path: '/auth/v1/tenants',
      operation: 'createTenant',
      audit: { action: 'tenant.create', read: rowOf('tenants', { id: 'target' }) },
      summary: 'Create a tenant; the caller becomes its owner',
      credential: 'session',
      owner: 'caller',
      permission: null,
      onlyForPeople: true,
      body: z.object({ name: checkName }),
      answers: { 201: z.object({ id: z.string(), name: z.string() }) },
      refusals: ['tenants_by_operator'],
      idempotency: 'replay',
      async handle({ caller, body }) {
        if (settings.tenantCreation === 'operator') throw new Refusal('tenants_by_operator')
        const tenant = await transact(sql, async trx => {
          const created = await insertTenant(management, trx, body.name)
          noteAct({ target: { id: created.id, name: body.name } })
          await trx
            .insertInto('memberships')
            .values({ tenant_id: created.id, user_id: caller.userId, role: 'owner', created_at: created.created_at })
            .execute()
          await leaveHome(trx, caller.userId, created.id)
          return created
        })
        return { status: 201, body: tenant }
      },
    }),
    route({
      method: 'GET',
      path: '/auth/v1/tenants',
      operation: 'listTenants',
      summary: "List the caller's tenants",
      credential: 'session',
      owner: 'caller',
      permission: null,
      onlyForPeople: false,
      inTenantSession: true,
      answers: { 200: z.array(listedTenantSchema) },
      async handle({ caller }) {
        if (caller.serviceAccount !== null) return { status: 200, body: await listTenantOf(sql, caller.serviceAccount) }
        const tenants = await sql
          .selectFrom('memberships')
          .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
          .select(['tenants.id', 'tenants.name', 'tenants.plan', 'tenants.created_at', 'memberships.role'])
          .where('memberships.user_id', '=', caller.userId)
          .$if(caller.session?.tenantId != null, of => of.where('tenants.id', '=', caller.session?.tenantId ?? ''))
          .orderBy('tenants.created_at')
          .orderBy('tenants.id')
          .execute()
        return { status: 200, body: tenants.map(withIsoTime) }
      },
    }),
    ...oneTenantRoutes(sql),
  ]
}

/** Without members. */
export async function insertTenant(
  { now, randomId, settings }: Pick<ManagementDependencies, 'now' | 'randomId' | 'settings'>,
  trx: Transaction<Schema>,
  name: string,
) {
  const tenant = { id: randomId(), name, created_at: now() }
  await trx
    .insertInto('tenants')
    .values({ ...tenant, plan: settings.defaultPlan, provider_keys_revision: 0 })
    .execute()
  return tenant
}

/** What a service account sees: its tenant, with its kind in place of a role. */
async function listTenantOf(sql: ManagementDependencies['sql'], { tenantId }: ServiceAccount) {
  const tenants = await sql
    .selectFrom('tenants')
    .select(['id', 'name', 'plan', 'created_at'])
    .where('id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .execute()
  return tenants.map(tenant => ({ ...withIsoTime(tenant), role: 'service-account' }))
}

function oneTenantRoutes(sql: ManagementDependencies['sql']) {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/tenants/:tenantId',
      operation: 'getTenant',
      summary: 'Get a tenant',
      credential: 'session',
      owner: 'tenant',
      permission: 'project:read',
      answers: { 200: oneTenantSchema },
      async handle({ owned }) {
        return { status: 200, body: showTenant(owned.tenant) }
      },
    }),
    route({
      method: 'PATCH',
      path: '/auth/v1/tenants/:tenantId',
      operation: 'renameTenant',
      audit: { action: 'tenant.rename', target: 'tenantId', read: rowOf('tenants', { id: 'tenant' }) },
      summary: 'Rename a tenant',
      credential: 'session',
      owner: 'tenant',
      permission: 'project:write',
      body: z.object({ name: checkName }),
      answers: { 200: oneTenantSchema },
      async handle({ owned, body }) {
        return { status: 200, body: await change(sql, owned, { name: body.name }) }
      },
    }),
    route({
      method: 'PUT',
      path: '/auth/v1/tenants/:tenantId/sign-in-rules',
      operation: 'setSignInRules',
      audit: { action: 'tenant.sign_in_rules', target: 'tenantId', read: rowOf('tenants', { id: 'tenant' }) },
      summary: 'Set how the members of a tenant must sign in to reach it',
      credential: 'session',
      owner: 'tenant',
      permission: 'tenant:write',
      body: z.object({
        require_second_factor: z.boolean({ error: 'require_second_factor must be true or false' }),
      }),
      answers: { 200: oneTenantSchema },
      refusals: ['own_second_factor_first'],
      async handle({ caller, owned, body }) {
        const isRequired = body.require_second_factor
        // Otherwise the caller could not reach the tenant any more.
        if (isRequired && !provesMore(caller.session)) throw new Refusal('own_second_factor_first')
        return { status: 200, body: await change(sql, owned, { require_second_factor: isRequired ? 1 : 0 }) }
      },
    }),
  ]
}

async function change(
  sql: ManagementDependencies['sql'],
  { tenant: { id } }: Pick<Owned, 'tenant'>,
  values: { name: string } | { require_second_factor: 0 | 1 },
) {
  const tenant = await transact(sql, trx =>
    trx
      .updateTable('tenants')
      .set(values)
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .returning(['id', 'name', 'plan', 'require_second_factor', 'created_at'])
      .executeTakeFirst(),
  )
  if (tenant === undefined) throw new Refusal('tenant_not_found')
  return showTenant(tenant)
}

export function showTenant(tenant: Owned['tenant']) {
  return { ...withIsoTime(tenant), require_second_factor: tenant.require_second_factor === 1 }
}

function withIsoTime<Row extends { created_at: number }>(row: Row) {
  return { ...row, created_at: isoTime(row.created_at) }
}
