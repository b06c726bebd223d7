// The single sign-on of a tenant: whose issuer signs its people in, with which roles, and whether passwords still do.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { clientSecretContext } from '../../oidc/sealed-secrets.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { getAllowedUrl } from '../plane/allowed-address.ts'
import type { Owned } from '../plane/caller.ts'
import { isoTime } from '../plane/iso-time.ts'
import { findMemberRole, getGrantable } from '../plane/member-roles.ts'
import { type Route, route } from '../plane/route.ts'
import { type ConnectionBody, connectionBody } from './connection-fields.ts'
import { type ConnectionRow, readDomains, readRoleMap } from './find-connection.ts'
import { callbackUrl } from './start-sign-on.ts'

export const ssoPath = '/auth/v1/tenants/:tenantId/sso'
const common = { credential: 'session', owner: 'tenant', path: ssoPath } as const
const read = rowOf('sso_connections', { tenant_id: 'tenant' })

const recordSchema = z.object({
  issuer: z.string(),
  client_id: z.string(),
  domains: z.array(z.string()),
  required: z.boolean(),
  break_glass_user_id: z.string().nullable(),
  default_role: z.string(),
  role_claim: z.string().nullable(),
  role_map: z.record(z.string(), z.string()),
  callback_url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
})

export function connectionRoutes(management: ManagementDependencies): Route[] {
  const { sql, settings } = management
  return [
    route({
      ...common,
      method: 'GET',
      operation: 'getSignOn',
      permission: 'project:read',
      summary: 'Get the single sign-on of a tenant, without its secret',
      answers: { 200: recordSchema },
      refusals: ['sso_not_configured'],
      async handle({ owned }) {
        const row = await findRow(sql, owned.tenant.id)
        if (row === undefined) throw new Refusal('sso_not_configured')
        return { status: 200, body: show(row, settings.baseUrl) }
      },
    }),
    route({
      ...common,
      method: 'PUT',
      operation: 'setSignOn',
      audit: { action: 'sso.put', target: 'tenantId', read },
      permission: 'sso:write',
      summary: 'Set the identity provider that signs in the people of a tenant',
      body: connectionBody,
      answers: { 200: recordSchema },
      refusals: ['invalid_base_url', 'sso_domain_taken', 'sso_untested', 'permission_missing'],
      async handle({ owned, body }) {
        await getAllowedUrl(management.outbound, body.issuer)
        const row = await transact(sql, trx => store(trx, management, owned, body))
        return { status: 200, body: show(row, settings.baseUrl) }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      operation: 'deleteSignOn',
      audit: { action: 'sso.delete', target: 'tenantId', read },
      permission: 'sso:write',
      summary: 'Remove the single sign-on of a tenant; the sessions that it opened end',
      answers: { 204: null },
      refusals: ['sso_not_configured'],
      async handle({ owned }) {
        await transact(sql, trx => remove(trx, owned.tenant.id))
        return { status: 204 }
      },
    }),
  ]
}

export async function findRow(sql: Pick<ManagementDependencies['sql'], 'selectFrom'>, tenantId: string) {
  return await sql.selectFrom('sso_connections').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
}

async function store(
  trx: Transaction<Schema>,
  management: ManagementDependencies,
  owned: Owned,
  body: ConnectionBody,
): Promise<ConnectionRow> {
  const tenantId = owned.tenant.id
  await lockTenant(trx, tenantId)
  const before = await findRow(trx, tenantId)
  await checkRoles(trx, owned, body)
  await checkBreakGlass(trx, tenantId, body)
  await claimDomains(trx, tenantId, body.domains)
  // Nobody who signed in through another issuer or client stays.
  if (!isSameClient(before, body)) await endSessions(trx, tenantId)
  const { client_secret: _, break_glass_user_id: breakGlass, role_claim: roleClaim, ...rest } = body
  const at = management.now()
  const row = {
    ...rest,
    ciphertext: sealSecret(management, tenantId, before, body),
    domains: JSON.stringify(body.domains),
    required: body.required ? (1 as const) : (0 as const),
    break_glass_user_id: breakGlass ?? null,
    role_claim: roleClaim ?? null,
    role_map: JSON.stringify(body.role_map),
    updated_at: at,
  }
  return await trx
    .insertInto('sso_connections')
    .values({ tenant_id: tenantId, ...row, created_at: at })
    .onConflict(conflict => conflict.column('tenant_id').doUpdateSet(row))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** A new member gets a role by the issuer's word: who lets it grant the role must hold all of it. */
async function checkRoles(trx: Transaction<Schema>, owned: Owned, body: ConnectionBody): Promise<void> {
  await getGrantable(trx, owned, body.default_role, 'default_role')
  for (const [value, role] of Object.entries(body.role_map)) {
    await getGrantable(trx, owned, role, `role_map.${value}`)
  }
}

/** Passwords are shut out only if an owner is known to have another way in. */
async function checkBreakGlass(
  trx: Transaction<Schema>,
  tenantId: string,
  { required, issuer, break_glass_user_id: userId }: ConnectionBody,
): Promise<void> {
  if (userId != null) {
    const member = await findMemberRole(trx, tenantId, userId)
    if (member?.role === 'owner') return
    throw new Refusal('validation_failed', { message: 'break_glass_user_id must be the id of an owner of the tenant' })
  }
  if (!required) return
  const owners = await trx
    .selectFrom('sso_identities')
    .innerJoin('memberships', join =>
      join
        .onRef('memberships.tenant_id', '=', 'sso_identities.tenant_id')
        .onRef('memberships.user_id', '=', 'sso_identities.user_id'),
    )
    .select('sso_identities.issuer')
    .where('sso_identities.tenant_id', '=', tenantId)
    .where('memberships.role', '=', 'owner')
    .execute()
  const href = new URL(issuer).href
  if (!owners.some(owner => URL.parse(owner.issuer)?.href === href)) throw new Refusal('sso_untested')
}

async function claimDomains(trx: Transaction<Schema>, tenantId: string, domains: readonly string[]): Promise<void> {
  await trx.deleteFrom('sso_domains').where('tenant_id', '=', tenantId).execute()
  const claimed = await trx
    .insertInto('sso_domains')
    .values(domains.map(domain => ({ domain, tenant_id: tenantId })))
    .onConflict(conflict => conflict.doNothing())
    .returning('domain')
    .execute()
  const taken = domains.find(domain => !claimed.some(row => row.domain === domain))
  if (taken !== undefined) {
    throw new Refusal('sso_domain_taken', { message: `Another tenant signs in people of ${taken}` })
  }
}

function isSameClient(before: ConnectionRow | undefined, { issuer, client_id }: ConnectionBody): boolean {
  return before?.issuer === issuer && before.client_id === client_id
}

/** Without a secret the stored one stays, for the same client of the same issuer only. */
function sealSecret(
  { secretBox }: ManagementDependencies,
  tenantId: string,
  before: ConnectionRow | undefined,
  body: ConnectionBody,
): string {
  const { issuer, client_id: clientId, client_secret: secret } = body
  if (secret !== undefined) return secretBox.seal(secret, clientSecretContext({ tenantId, issuer, clientId }))
  if (before === undefined || !isSameClient(before, body)) {
    throw new Refusal('validation_failed', { message: 'client_secret is required' })
  }
  return before.ciphertext
}

async function remove(trx: Transaction<Schema>, tenantId: string): Promise<void> {
  await lockTenant(trx, tenantId)
  const removed = await trx
    .deleteFrom('sso_connections')
    .where('tenant_id', '=', tenantId)
    .returning('tenant_id')
    .executeTakeFirst()
  if (removed === undefined) throw new Refusal('sso_not_configured')
  await trx.deleteFrom('sso_domains').where('tenant_id', '=', tenantId).execute()
  await endSessions(trx, tenantId)
}

async function endSessions(trx: Transaction<Schema>, tenantId: string): Promise<void> {
  await trx.deleteFrom('sessions').where('tenant_id', '=', tenantId).execute()
}

function show(row: ConnectionRow, baseUrl: string) {
  return {
    ...row,
    domains: readDomains(row),
    required: row.required === 1,
    role_map: readRoleMap(row),
    callback_url: callbackUrl(baseUrl),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}
