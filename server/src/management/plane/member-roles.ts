// The role of a member as a field of requests and responses, and the rule that nobody grants what they do not hold.

import type { Kysely } from 'kysely'
import { z } from 'zod'
import { builtInRoleNames, builtInRoles, isBuiltInRole, type Permission } from '../../domain/access/permissions.ts'
import { permissionsOf, readPermissions } from '../../domain/access/roles.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Owned } from './caller.ts'

type Reader = Pick<Kysely<Schema>, 'selectFrom'>

const roleWords = (names: readonly string[], field = 'role') => `${field} must be one of: ${names.join(', ')}`

/** The name of a built-in role, or of one of the tenant's own. */
export const roleField = z.string({ error: roleWords(builtInRoleNames) })

/** A tenant, and what the caller holds there. */
export interface Granting {
  tenant: Pick<Owned['tenant'], 'id'>
  permissions: Owned['permissions']
}

/** Returns what the role grants. Throws unless it exists and the caller holds all of it. */
export async function getGrantable(
  sql: Reader,
  place: Granting,
  role: string,
  field = 'role',
): Promise<readonly Permission[]> {
  const granted = isBuiltInRole(role) ? builtInRoles[role] : await getOwnRole(sql, place.tenant.id, { role, field })
  checkHeld(granted, place.permissions)
  return granted
}

async function getOwnRole(
  sql: Reader,
  tenantId: string,
  { role, field }: { role: string; field: string },
): Promise<readonly Permission[]> {
  const rows = await sql
    .selectFrom('roles')
    .select(['name', 'permissions'])
    .where('tenant_id', '=', tenantId)
    .orderBy('name')
    .execute()
  const row = rows.find(({ name }) => name === role)
  if (row !== undefined) return readPermissions(row.permissions)
  const message = roleWords([...builtInRoleNames, ...rows.map(({ name }) => name)], field)
  throw new Refusal('validation_failed', { message })
}

export function checkHeld(needed: readonly Permission[], held: readonly Permission[]): void {
  const missing = needed.find(permission => !held.includes(permission))
  if (missing !== undefined) throw new Refusal('permission_missing', { message: `Needs the permission ${missing}` })
}

/** Undefined if the user is not a member. */
export async function findMemberRole(sql: Reader, tenantId: string, userId: string) {
  const row = await sql
    .selectFrom('memberships')
    .leftJoin('roles', join =>
      join.onRef('roles.tenant_id', '=', 'memberships.tenant_id').onRef('roles.name', '=', 'memberships.role'),
    )
    .select(['memberships.role', 'roles.permissions'])
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.user_id', '=', userId)
    .executeTakeFirst()
  return row && { role: row.role, permissions: permissionsOf(row.role, row.permissions) }
}
