// Checks the ids of a path against the caller's memberships. Independent of credentials.

import type { Kysely } from 'kysely'
import { authentications } from '../../domain/access/authentications.ts'
import { holdsAll } from '../../domain/access/permissions.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Caller, Owned, ServiceAccount, Session } from './caller.ts'
import { checkHeld, findMemberRole } from './member-roles.ts'
import { neededPermissions, type Route } from './route.ts'

/** On every route, an unknown id is 404, and an id that belongs to others is 403. */
export async function checkOwnership(
  sql: Kysely<Schema>,
  route: Route,
  caller: Caller,
  params: Record<string, string>,
): Promise<Owned> {
  const project = route.owner === 'tenant' ? null : await getProject(sql, await getProjectId(sql, route, params))
  const { sso, tenant } = await getTenant(sql, project?.tenant_id ?? params['tenantId'] ?? '')
  const permissions =
    caller.serviceAccount === null
      ? await checkMember(sql, route, { caller, sso, tenant, params })
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
  sso: SsoRule
  tenant: Owned['tenant']
  params: Record<string, string>
}

interface SsoRule {
  required: 0 | 1 | null
  breakGlassUserId: string | null
}

async function checkMember(sql: Kysely<Schema>, route: Route, { caller, sso, tenant, params }: Membership) {
  const { userId, session } = caller
  const sessionTenantId = session?.tenantId ?? null
  if (sessionTenantId !== null && sessionTenantId !== tenant.id) throw new Refusal('forbidden')
  const member = await findMemberRole(sql, tenant.id, userId)
  if (member === undefined) throw new Refusal('forbidden')
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

async function getProject(sql: Kysely<Schema>, id: string): Promise<Owned['project']> {
  const project = await sql
    .selectFrom('projects')
    .select(['id', 'tenant_id', 'name', 'slug', 'status', 'managed_by'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (project === undefined) throw new Refusal('project_not_found')
  return project
}

async function getTenant(sql: Kysely<Schema>, id: string): Promise<{ tenant: Owned['tenant']; sso: SsoRule }> {
  const row = await sql
    .selectFrom('tenants')
    .leftJoin('sso_connections', 'sso_connections.tenant_id', 'tenants.id')
    .select(['tenants.id', 'tenants.name', 'tenants.plan', 'tenants.require_second_factor', 'tenants.created_at'])
    .select(['sso_connections.required', 'sso_connections.break_glass_user_id'])
    .where('tenants.id', '=', id)
    .where('tenants.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('tenant_not_found')
  const { required, break_glass_user_id: breakGlassUserId, ...tenant } = row
  return { tenant, sso: { required, breakGlassUserId } }
}
