// Checks the ids of a path against the caller's memberships. Independent of credentials.

import type { Kysely } from 'kysely'
import { holdsAll } from '../../domain/access/permissions.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Caller, Owned } from './caller.ts'
import { findMemberRole } from './member-roles.ts'
import { neededPermissions, type Route } from './route.ts'

/** On every route, an unknown id is 404, and an id that belongs to others is 403. */
export async function checkOwnership(
  sql: Kysely<Schema>,
  route: Route,
  caller: Caller,
  params: Record<string, string>,
): Promise<Owned> {
  const project = route.owner === 'tenant' ? null : await getProject(sql, await getProjectId(sql, route, params))
  const tenant = await getTenant(sql, project?.tenant_id ?? params['tenantId'] ?? '')
  const member = await findMemberRole(sql, tenant.id, caller.userId)
  if (member === undefined) throw new Refusal('forbidden')
  const { permissions } = member
  const concernsCaller = route.ownIdParam !== undefined && params[route.ownIdParam] === caller.userId
  if (!concernsCaller && !holdsAll(permissions, neededPermissions(route))) throw new Refusal('forbidden')
  const none = { id: '', tenant_id: tenant.id, name: '', slug: '', status: 'active' as const }
  return { tenant, project: project ?? none, permissions }
}

async function getProjectId(sql: Kysely<Schema>, route: Route, params: Record<string, string>): Promise<string> {
  if (route.owner !== 'api-key') return params['projectId'] ?? ''
  const key = await sql
    .selectFrom('api_keys')
    .select('project_id')
    .where('id', '=', params['keyId'] ?? '')
    .executeTakeFirst()
  if (key === undefined) throw new Refusal('api_key_not_found')
  return key.project_id
}

async function getProject(sql: Kysely<Schema>, id: string): Promise<Owned['project']> {
  const project = await sql
    .selectFrom('projects')
    .select(['id', 'tenant_id', 'name', 'slug', 'status'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (project === undefined) throw new Refusal('project_not_found')
  return project
}

async function getTenant(sql: Kysely<Schema>, id: string): Promise<Owned['tenant']> {
  const tenant = await sql
    .selectFrom('tenants')
    .select(['id', 'name', 'plan', 'created_at'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (tenant === undefined) throw new Refusal('tenant_not_found')
  return tenant
}
