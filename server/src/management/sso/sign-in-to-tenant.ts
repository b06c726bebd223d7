// Signs somebody in whom a tenant's issuer vouches for: a member by their identity. The first sign-in makes account and
// membership, unless the email has an account: then that account's own sign-in must link the identity.

import type { Transaction } from 'kysely'
import { readAssertedEmail, roleOf } from '../../domain/access/single-sign-on.ts'
import { Refusal } from '../../domain/errors.ts'
import type { SignedIn } from '../../oidc/issuer-client.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { lockTenant } from '../lock-tenant.ts'
import { applyRole, hasOtherOwner } from '../people/members.ts'
import { addMembership } from '../people/memberships.ts'
import { findMemberRole } from '../plane/member-roles.ts'
import type { FoundConnection } from './find-connection.ts'
import { addIdentity, findIdentity, noteUse, type SignedInPerson } from './identities.ts'

type TenantConnection = Extract<FoundConnection, { tenantId: string }>

export async function signInToTenant(
  trx: Transaction<Schema>,
  management: ManagementDependencies,
  found: TenantConnection,
  signedIn: SignedIn,
): Promise<SignedInPerson> {
  const { tenantId, rules } = found
  await lockTenant(trx, tenantId)
  const known = await findIdentity(trx, tenantId, signedIn)
  if (known === undefined) return await join(trx, management, found, signedIn)
  const { userId } = known
  const member = await findMemberRole(trx, tenantId, userId)
  if (member === undefined) await rejoin(trx, { tenantId, userId, email: known.email, at: management.now() })
  else if (rules.roleClaim !== null) {
    await followRole(trx, found, userId, { before: member, role: roleOf(rules, signedIn.claims) })
  }
  await noteUse(trx, known.identityId, management.now())
  return known
}

async function join(
  trx: Transaction<Schema>,
  management: ManagementDependencies,
  { tenantId, rules }: TenantConnection,
  signedIn: SignedIn,
): Promise<SignedInPerson> {
  const { now, randomId } = management
  const asserted = readAssertedEmail(signedIn.claims)
  if (asserted === null) throw new Refusal('sso_email_missing')
  const { email, domain, isVerified } = asserted
  if (!rules.domains.includes(domain)) throw new Refusal('sso_domain')
  if (isVerified === false) throw new Refusal('sso_email_unverified')
  const [userId, at] = [randomId(), now()]
  const made = await trx
    .insertInto('users')
    .values({ id: userId, email, password_hash: null, home_tenant_id: tenantId, created_at: at })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  // The email says nothing about whose account it is: any tenant's issuer may assert it.
  if (made === undefined) throw new Refusal('sso_link_required')
  await addMembership(trx, { tenantId, userId, role: roleOf(rules, signedIn.claims), at })
  const { issuer, subject } = signedIn
  const identityId = await addIdentity(trx, management, { tenantId, issuer, subject, userId })
  return { userId, identityId, email }
}

interface Removed {
  tenantId: string
  userId: string
  email: string
  at: number
}

/** Who was removed comes back by an invitation only, whatever the issuer says. */
async function rejoin(trx: Transaction<Schema>, { tenantId, userId, email, at }: Removed): Promise<void> {
  const invitation = await trx
    .updateTable('invitations')
    .set({ used_at: at })
    .where('tenant_id', '=', tenantId)
    .where('email', '=', email)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .returning('role')
    .executeTakeFirst()
  if (invitation === undefined) throw new Refusal('sso_removed')
  await addMembership(trx, { tenantId, userId, role: invitation.role, at })
}

interface RoleChange {
  before: NonNullable<Awaited<ReturnType<typeof findMemberRole>>>
  role: string
}

/** A tenant keeps an owner, and the owner who keeps their own sign-in stays one. */
async function followRole(
  trx: Transaction<Schema>,
  { tenantId, rules }: TenantConnection,
  userId: string,
  { before, role }: RoleChange,
): Promise<void> {
  if (before.role === role) return
  const staysOwner = rules.breakGlassUserId === userId || !(await hasOtherOwner(trx, tenantId, userId))
  if (before.role === 'owner' && staysOwner) return
  await applyRole(trx, { tenantId, userId, before, role })
  noteAct({ before: { role: before.role }, after: { role } })
}
