// Finds the issuer of a sign-in: a tenant's, by the tenant or by the domain of an email, or the installation's own.

import type { Selectable } from 'kysely'
import type { RoleRules } from '../../domain/access/single-sign-on.ts'
import { Refusal } from '../../domain/errors.ts'
import { connectionOf, type InstallationIssuer, installationConnection } from '../../oidc/connection-of.ts'
import { createIssuerClient, type IssuerClient } from '../../oidc/issuer-client.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'

/** The tenant of what belongs to the installation's own issuer. */
export const noTenant = ''

export type ConnectionRow = Selectable<Schema['sso_connections']>

interface TenantRules extends RoleRules {
  domains: readonly string[]
  breakGlassUserId: string | null
}

export type FoundConnection =
  | { client: IssuerClient; tenantId: string; rules: TenantRules }
  | { client: IssuerClient; tenantId: null; installation: InstallationIssuer }

/** Throws if the tenant, or with `noTenant` the installation, has no single sign-on. */
export async function getConnection(management: ManagementDependencies, tenantId: string): Promise<FoundConnection> {
  const { sql, outbound, secretBox, settings } = management
  if (tenantId === noTenant) {
    const { singleSignOn: installation } = settings
    if (installation === null) throw new Refusal('sso_not_configured')
    return { client: createIssuerClient(outbound, installationConnection(installation)), tenantId: null, installation }
  }
  const row = await sql
    .selectFrom('sso_connections')
    .innerJoin('tenants', 'tenants.id', 'sso_connections.tenant_id')
    .selectAll('sso_connections')
    .where('sso_connections.tenant_id', '=', tenantId)
    .where('tenants.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('sso_not_configured')
  return { client: createIssuerClient(outbound, connectionOf(row, secretBox)), tenantId, rules: rulesOf(row) }
}

/** The claims that decide, which an issuer may send only if asked. */
export function wantedClaims(found: FoundConnection): string[] {
  const claim = found.tenantId === null ? found.installation.operatorClaim?.name : found.rules.roleClaim
  return claim == null ? ['email'] : ['email', claim]
}

/** The tenant that signs in people of the email's domain; `noTenant` if none does. */
export async function findTenantByEmail({ sql }: ManagementDependencies, email: string): Promise<string> {
  const domain = domainOf(email)
  const row = await sql.selectFrom('sso_domains').select('tenant_id').where('domain', '=', domain).executeTakeFirst()
  return row?.tenant_id ?? noTenant
}

function domainOf(email: string): string {
  return email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase()
    .toWellFormed()
    .replaceAll('\0', '')
}

export function readDomains(row: Pick<ConnectionRow, 'domains'>): string[] {
  return JSON.parse(row.domains) as string[]
}

export function readRoleMap(row: Pick<ConnectionRow, 'role_map'>): Record<string, string> {
  return JSON.parse(row.role_map) as Record<string, string>
}

function rulesOf(row: ConnectionRow): TenantRules {
  return {
    domains: readDomains(row),
    breakGlassUserId: row.break_glass_user_id,
    defaultRole: row.default_role,
    roleClaim: row.role_claim,
    roleMap: readRoleMap(row),
  }
}
