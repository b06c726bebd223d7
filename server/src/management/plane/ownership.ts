// Checks the ids of a path against the caller's memberships. Independent of credentials.

import type { Kysely } from 'kysely'
import { authentications } from '../../domain/access/authentications.ts'
import { holdsAll, type Permission } from '../../domain/access/permissions.ts'
import { permissionsOf } from '../../domain/access/roles.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Caller, Owned, ServiceAccount, Session } from './caller.ts'
import { checkHeld } from './member-roles.ts'
import { neededPermissions, type Route } from './route.ts'

/** On every route, an unknown id is 404, and an id that belongs to others is 403. */
export async function checkOwnership(
  sql: Kysely<Schema>,
  route: Route,
  caller: Caller,
  params: Record<string, string>,
): Promise<Owned> {
  const projectId = route.owner === 'tenant' ? null : await getProjectId(sql, route, params)
  const { tenant, project, member, sso } = await getPlace(sql, projectId, params['tenantId'] ?? '', caller.userId)
  const permissions =
    caller.serviceAccount === null
      ? checkMember(route, { caller, member, sso, tenant, params })
      : checkServiceAccount(caller.serviceAccount, route, { tenantId: tenant.id, projectId: project?.id })
  if (route.inFile && project !== null) checkFileLock(project, caller)
  const none = { id: '', tenant_id: tenant.id, name: '', slug: '', status: 'active' as const, managed_by: null }
  return { tenant, project: project ?? none, permissions }
}

/** Programs pass: the file itself is applied by one. */
export function checkFileLock({ managed_by }: Pick<Owned['project'], 'managed_by'>, { session }: Caller): void {
  if (managed_by === 'file' && session?.isCookie) throw new Refusal('managed_by_file')
}

interface Membership {
  caller: Caller
  /** Null for who is no member. */
  member: Member | null
  sso: SsoRule
  tenant: Owned['tenant']
  params: Record<string, string>
}

interface Member {
  role: string
  permissions: readonly Permission[]
}

interface SsoRule {
  required: 0 | 1 | null
  breakGlassUserId: string | null
}

function checkMember(route: Route, { caller, member, sso, tenant, params }: Membership): readonly Permission[] {
  const { userId, session } = caller
  const sessionTenantId = session?.tenantId ?? null
  if (sessionTenantId !== null && sessionTenantId !== tenant.id) throw new Refusal('forbidden')
  if (member === null) throw new Refusal('forbidden')
  if (sso.required === 1 && sessionTenantId === null && !isBreakGlass(sso, userId, member.role)) {
    throw new Refusal('sso_required')
  }
  if (tenant.require_second_factor === 1 && !provesMore(session)) throw new Refusal('second_factor_missing')
  const concernsCaller = route.ownIdParam !== undefined && params[route.ownIdParam] === userId
  if (!concernsCaller && !holdsAll(member.permissions, neededPermissions(route))) throw new Refusal('forbidden')
  return member.permissions
}

/** An issuer that the operator or the tenant chose asks for as much as they want. */
export function provesMore(session: Session | null): boolean {
  if (session === null || session.issuer === 'external') return true
  return (
    session.hasSecondFactor || (session.authenticatedBy !== null && authentications[session.authenticatedBy].isStrong)
  )
}

/** Only an owner keeps their own sign-in. */
function isBreakGlass({ breakGlassUserId }: SsoRule, userId: string, role: string): boolean {
  return breakGlassUserId === userId && role === 'owner'
}

/** An account that is bound to projects may use no route of the whole tenant: it would show the other projects. */
function checkServiceAccount(
  { permissions, projects, tenantId }: ServiceAccount,
  route: Route,
  place: { tenantId: string; projectId: string | undefined },
) {
  if (tenantId !== place.tenantId) throw new Refusal('forbidden')
  const needed = neededPermissions(route)
  checkHeld(needed, permissions)
  if (projects === null || (place.projectId !== undefined && projects.includes(place.projectId))) return permissions
  const where = place.projectId === undefined ? 'the whole tenant' : 'this project'
  throw new Refusal('permission_missing', { message: `Needs the permission ${needed[0]} for ${where}` })
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

interface Place {
  tenant: Owned['tenant']
  /** Null on routes of the whole tenant. */
  project: Owned['project'] | null
  member: Member | null
  sso: SsoRule
}

/** In one query, since every request of the management API waits for it. */
async function getPlace(
  sql: Kysely<Schema>,
  projectId: string | null,
  tenantId: string,
  userId: string,
): Promise<Place> {
  const row = await sql
    .selectFrom('tenants')
    .leftJoin('sso_connections', 'sso_connections.tenant_id', 'tenants.id')
    .leftJoin('projects', join =>
      join.onRef('projects.tenant_id', '=', 'tenants.id').on('projects.id', '=', projectId ?? ''),
    )
    .leftJoin('memberships', join =>
      join.onRef('memberships.tenant_id', '=', 'tenants.id').on('memberships.user_id', '=', userId),
    )
    .leftJoin('roles', join =>
      join.onRef('roles.tenant_id', '=', 'memberships.tenant_id').onRef('roles.name', '=', 'memberships.role'),
    )
    .select(['tenants.id', 'tenants.name', 'tenants.plan', 'tenants.require_second_factor', 'tenants.created_at'])
    .select(['sso_connections.required', 'sso_connections.break_glass_user_id'])
    .select(['projects.id as project_id', 'projects.name as project_name', 'projects.slug'])
    .select(['projects.status', 'projects.managed_by', 'memberships.role', 'roles.permissions'])
    .where('tenants.deleted_at', 'is', null)
    .where('tenants.id', '=', of =>
      projectId === null
        ? of.val(tenantId)
        : of
            .selectFrom('projects as named')
            .select('named.tenant_id')
            .where('named.id', '=', projectId)
            .where('named.deleted_at', 'is', null),
    )
    .executeTakeFirst()
  if (row === undefined) throw new Refusal(projectId === null ? 'tenant_not_found' : 'project_not_found')
  const { id, name, plan, require_second_factor, created_at } = row
  const { role, project_id, project_name, slug, status } = row
  const hasProject = project_id !== null && project_name !== null && slug !== null && status !== null
  return {
    tenant: { id, name, plan, require_second_factor, created_at },
    project: hasProject
      ? { id: project_id, tenant_id: id, name: project_name, slug, status, managed_by: row.managed_by }
      : null,
    member: role === null ? null : { role, permissions: permissionsOf(role, row.permissions) },
    sso: { required: row.required, breakGlassUserId: row.break_glass_user_id },
  }
}
