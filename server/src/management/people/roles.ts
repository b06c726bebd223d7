// The roles of a tenant: those that every tenant has, and its own, each a set of permissions under a name. Nobody
// grants what they do not hold, and no role disappears while somebody holds it.

import type { Kysely, Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import { builtInRoleNames, builtInRoles, isBuiltInRole, permissionNames } from '../../domain/access/permissions.ts'
import { checkPermissions, checkRoleName, maxDescription, readPermissions } from '../../domain/access/roles.ts'
import { getChecked } from '../../domain/checked.ts'
import { getPage } from '../../domain/cursor.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import type { Owned } from '../plane/caller.ts'
import { checked, pageQuery } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { checkHeld } from '../plane/member-roles.ts'
import { type Route, route } from '../plane/route.ts'
import { withdrawLinks } from './withdraw-links.ts'

const maxRoles = 50
const path = '/auth/v1/tenants/:tenantId/roles'
const common = { credential: 'session', owner: 'tenant' } as const

const roleSchema = z.object({
  name: z.string(),
  description: z.string().nullable(),
  permissions: z.array(z.enum(permissionNames)),
  built_in: z.boolean(),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
})
const describedPermissions = { type: 'array', minItems: 1, items: { type: 'string', enum: permissionNames } }
const descriptionWords = `description must be a string of at most ${maxDescription} characters`
const bodySchema = z.object({
  permissions: checked(describedPermissions, checkPermissions),
  description: z.string({ error: descriptionWords }).max(maxDescription, { error: descriptionWords }).nullish(),
})

type RoleRow = Selectable<Schema['roles']>

export function roleRoutes(management: ManagementDependencies): Route[] {
  return [...readRoutes(management.sql), putRoute(management), deleteRoute(management)]
}

function readRoutes(sql: Kysely<Schema>): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path,
      operation: 'listRoles',
      permission: 'project:read',
      summary: 'List the roles of a tenant: those that every tenant has, then its own',
      query: pageQuery,
      answers: { 200: z.object({ data: z.array(roleSchema), next_cursor: z.string().nullable() }) },
      async handle({ owned, query }) {
        const page = getPage(query, { list: ['roles', owned.tenant.id], key: ['number'] })
        const [first] = page.after ?? [0]
        const all = [...builtInRoleNames.map(showBuiltIn), ...(await listOwn(sql, owned.tenant.id)).map(showOwn)]
        const end = first + page.limit
        const next_cursor = end < all.length ? page.cursorAfter([end]) : null
        return { status: 200, body: { data: all.slice(first, end), next_cursor } }
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/:roleName`,
      operation: 'getRole',
      permission: 'project:read',
      summary: 'Get a role',
      answers: { 200: roleSchema },
      refusals: ['role_not_found'],
      async handle({ owned, params }) {
        const name = params['roleName'] ?? ''
        if (isBuiltInRole(name)) return { status: 200, body: showBuiltIn(name) }
        const row = await findOwn(sql, owned.tenant.id, name)
        if (row === undefined) throw new Refusal('role_not_found')
        return { status: 200, body: showOwn(row) }
      },
    }),
  ]
}

function putRoute({ sql, now }: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'PUT',
    path: `${path}/:roleName`,
    operation: 'putRole',
    audit: { action: 'role.put', target: 'roleName', read: rowOf('roles', { tenant_id: 'tenant', name: 'target' }) },
    permission: 'roles:write',
    summary: 'Create or change a role of the tenant, for all who hold it; live at once',
    body: bodySchema,
    answers: { 200: roleSchema },
    refusals: ['permission_missing', 'role_limit'],
    async handle({ owned, params, body }) {
      const name = getChecked(checkRoleName(params['roleName']))
      const { permissions, description = null } = body
      checkHeld(permissions, owned.permissions)
      const time = now()
      const row = { tenant_id: owned.tenant.id, name, description, permissions: JSON.stringify(permissions) }
      const role = await transact(sql, trx => put(trx, owned, { ...row, created_at: time, updated_at: time }))
      return { status: 200, body: showOwn(role) }
    },
  })
}

async function put(trx: Transaction<Schema>, owned: Owned, role: RoleRow): Promise<RoleRow> {
  const { tenant_id, name } = role
  await lockTenant(trx, tenant_id)
  const old = await findOwn(trx, tenant_id, name)
  if (old === undefined) {
    if ((await listOwn(trx, tenant_id)).length >= maxRoles) throw new Refusal('role_limit')
    await trx.insertInto('roles').values(role).execute()
    return role
  }
  // Else somebody could take away from others what they never had themselves.
  checkHeld(readPermissions(old.permissions), owned.permissions)
  const changed = { ...role, created_at: old.created_at }
  await trx.updateTable('roles').set(changed).where('tenant_id', '=', tenant_id).where('name', '=', name).execute()
  if (isManaging(old) && !isManaging(role)) await withdrawLinks(trx, tenant_id)
  return changed
}

const isManaging = ({ permissions }: RoleRow) => readPermissions(permissions).includes('members:write')

function deleteRoute({ sql }: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'DELETE',
    path: `${path}/:roleName`,
    operation: 'deleteRole',
    audit: { action: 'role.delete', target: 'roleName', read: rowOf('roles', { tenant_id: 'tenant', name: 'target' }) },
    permission: 'roles:write',
    summary: 'Delete a role of the tenant that nobody holds and no open invitation names',
    answers: { 204: null },
    refusals: ['role_not_found', 'role_held', 'permission_missing'],
    async handle({ owned, params }) {
      const name = getChecked(checkRoleName(params['roleName']))
      await transact(sql, trx => remove(trx, owned, name))
      return { status: 204 }
    },
  })
}

async function remove(trx: Transaction<Schema>, { tenant, permissions }: Owned, name: string): Promise<void> {
  await lockTenant(trx, tenant.id)
  const role = await findOwn(trx, tenant.id, name)
  if (role === undefined) throw new Refusal('role_not_found')
  checkHeld(readPermissions(role.permissions), permissions)
  // Invitations first: accepting one meanwhile turns it into a membership, which the second query finds.
  const invited = await trx
    .selectFrom('invitations')
    .select('id')
    .where('tenant_id', '=', tenant.id)
    .where('role', '=', name)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  const held = await trx
    .selectFrom('memberships')
    .select('user_id')
    .where('tenant_id', '=', tenant.id)
    .where('role', '=', name)
    .executeTakeFirst()
  const mapped = await findMapped(trx, tenant.id)
  if (invited !== undefined || held !== undefined || mapped.includes(name)) throw new Refusal('role_held')
  await trx.deleteFrom('roles').where('tenant_id', '=', tenant.id).where('name', '=', name).execute()
}

/** The roles that the tenant's single sign-on gives. */
async function findMapped(trx: Transaction<Schema>, tenantId: string): Promise<string[]> {
  const connection = await trx
    .selectFrom('sso_connections')
    .select(['default_role', 'role_map'])
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  if (connection === undefined) return []
  return [connection.default_role, ...Object.values(JSON.parse(connection.role_map) as Record<string, string>)]
}

async function listOwn(sql: Pick<Kysely<Schema>, 'selectFrom'>, tenantId: string): Promise<RoleRow[]> {
  return await sql.selectFrom('roles').selectAll().where('tenant_id', '=', tenantId).orderBy('name').execute()
}

async function findOwn(sql: Pick<Kysely<Schema>, 'selectFrom'>, tenantId: string, name: string) {
  const all = sql.selectFrom('roles').selectAll().where('tenant_id', '=', tenantId)
  return await all.where('name', '=', name).executeTakeFirst()
}

function showOwn({ name, description, permissions, created_at, updated_at }: RoleRow) {
  const times = { created_at: isoTime(created_at), updated_at: isoTime(updated_at) }
  return { name, description, permissions: readPermissions(permissions), built_in: false, ...times }
}

function showBuiltIn(name: (typeof builtInRoleNames)[number]) {
  const never = { description: null, created_at: null, updated_at: null }
  return { name, permissions: builtInRoles[name], built_in: true, ...never }
}
