// Links an identity to the account whose email it asserts, by that account's own sign-in in the same browser.

import type { Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import { readAssertedEmail, roleOf } from '../../domain/access/single-sign-on.ts'
import { Refusal } from '../../domain/errors.ts'
import type { SignedIn } from '../../oidc/issuer-client.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { addMembership } from '../people/memberships.ts'
import type { Caller } from '../plane/caller.ts'
import { type Route, route } from '../plane/route.ts'
import { type FoundConnection, noTenant } from './find-connection.ts'
import { addIdentity, findIdentity } from './identities.ts'
import { attemptSeconds, browserDigest, createSignOnBrowser } from './sign-on-browser.ts'

const path = '/auth/v1/sso/link'
const linkSchema = z.object({
  email: z.string(),
  issuer: z.string(),
  tenant: z.object({ id: z.string(), name: z.string() }).nullable(),
})

type PendingLink = Selectable<Schema['sso_links']>

export function linkRoutes(management: ManagementDependencies): Route[] {
  const { settings } = management
  const browser = createSignOnBrowser(settings.baseUrl)
  const digestIn = (cookie: string | undefined) => {
    const secret = browser.read(cookie)
    if (secret === null) throw new Refusal('sso_no_link')
    return browserDigest(secret)
  }
  return [
    route({
      method: 'GET',
      path,
      operation: 'getPendingLink',
      summary: 'Get the identity that this browser has brought and that waits to be linked to an account',
      credential: 'none',
      owner: 'none',
      answers: { 200: linkSchema },
      refusals: ['sso_no_link'],
      async handle({ header }) {
        return { status: 200, body: await showPending(management, digestIn(header('cookie'))) }
      },
    }),
    route({
      method: 'POST',
      path,
      operation: 'linkIdentity',
      audit: { action: 'sso.link' },
      summary: 'Link the identity that this browser has brought to the account of the session',
      credential: 'session',
      owner: 'caller',
      permission: null,
      onlyForPeople: true,
      // Whoever only has the session must not give the account an identity of their own.
      stepUp: 'everyone',
      answers: { 200: z.object({ continue_url: z.string() }) },
      refusals: ['sso_no_link', 'sso_other_account', 'sso_not_configured'],
      async handle({ caller, header }) {
        const digest = digestIn(header('cookie'))
        const { tenant } = await showPending(management, digest)
        if (tenant !== null) noteAct({ tenantId: tenant.id })
        const link = await transact(management.sql, trx => linkIdentity(trx, management, digest, caller))
        const query = new URLSearchParams({ return_to: link.return_to })
        if (link.tenant_id !== noTenant) query.set('tenant', link.tenant_id)
        return { status: 200, body: { continue_url: `/auth/v1/sso/start?${query}` } }
      },
    }),
  ]
}

interface Brought {
  found: FoundConnection
  signedIn: SignedIn
  secret: string
  returnTo: string
}

/** Replaces an earlier one of this browser. */
export async function storePendingLink(
  { sql, now }: ManagementDependencies,
  { found, signedIn, secret, returnTo }: Brought,
): Promise<void> {
  const { issuer, subject, claims } = signedIn
  const row = {
    tenant_id: found.tenantId ?? noTenant,
    issuer,
    subject,
    email: readAssertedEmail(claims)?.email ?? '',
    role: found.tenantId === null ? null : roleOf(found.rules, claims),
    return_to: returnTo,
    expires_at: now() + attemptSeconds * 1000,
  }
  await sql
    .insertInto('sso_links')
    .values({ browser_digest: browserDigest(secret), ...row })
    .onConflict(conflict => conflict.column('browser_digest').doUpdateSet(row))
    .execute()
}

async function showPending({ sql, now }: ManagementDependencies, digest: string) {
  const link = await sql
    .selectFrom('sso_links')
    .leftJoin('tenants', 'tenants.id', 'sso_links.tenant_id')
    .select(['sso_links.email', 'sso_links.issuer', 'tenants.id', 'tenants.name'])
    .where('browser_digest', '=', digest)
    .where('sso_links.expires_at', '>', now())
    .executeTakeFirst()
  if (link === undefined) throw new Refusal('sso_no_link')
  const { email, issuer, id, name } = link
  return { email, issuer, tenant: id === null || name === null ? null : { id, name } }
}

async function linkIdentity(
  trx: Transaction<Schema>,
  management: ManagementDependencies,
  digest: string,
  { userId, email }: Caller,
): Promise<PendingLink> {
  const at = management.now()
  const link = await trx
    .deleteFrom('sso_links')
    .where('browser_digest', '=', digest)
    .where('expires_at', '>', at)
    .returningAll()
    .executeTakeFirst()
  if (link === undefined) throw new Refusal('sso_no_link')
  // Rolls the deletion back: the person may sign out and in again as the account that is asked for.
  if (link.email !== email) throw new Refusal('sso_other_account')
  const { tenant_id: tenantId, issuer, subject } = link
  if (tenantId !== noTenant) await joinTenant(trx, link, userId, at)
  const known = await findIdentity(trx, tenantId, { issuer, subject })
  if (known === undefined) await addIdentity(trx, management, { tenantId, issuer, subject, userId })
  else if (known.userId !== userId) throw new Refusal('sso_other_account')
  noteAct({ target: { id: userId, name: email }, after: { issuer, subject } })
  return link
}

async function joinTenant(trx: Transaction<Schema>, link: PendingLink, userId: string, at: number): Promise<void> {
  const { tenant_id: tenantId, role } = link
  await lockTenant(trx, tenantId)
  const connection = await trx
    .selectFrom('sso_connections')
    .select('default_role')
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  if (connection === undefined) throw new Refusal('sso_not_configured')
  await addMembership(trx, { tenantId, userId, role: role ?? connection.default_role, at })
}
