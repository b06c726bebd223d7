// Signs somebody in whom the operator's own issuer vouches for: the account with their verified email, from then on by
// their identity. The session is the account's own and reaches all its tenants.

import type { Transaction } from 'kysely'
import { type AssertedEmail, hasClaim, readAssertedEmail } from '../../domain/access/single-sign-on.ts'
import { Refusal } from '../../domain/errors.ts'
import type { InstallationIssuer } from '../../oidc/connection-of.ts'
import type { SignedIn } from '../../oidc/issuer-client.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { takeOver } from '../people/take-over.ts'
import { noTenant } from './find-connection.ts'
import { addIdentity, findIdentity, noteUse, type SignedInPerson } from './identities.ts'

/** What operators are made by who have the claim. */
const makerOfOperators = 'sso'

export async function signInToInstallation(
  trx: Transaction<Schema>,
  management: ManagementDependencies,
  installation: InstallationIssuer,
  signedIn: SignedIn,
): Promise<SignedInPerson> {
  const { allowedDomains } = installation
  const asserted = readAssertedEmail(signedIn.claims)
  if (asserted === null) throw new Refusal('sso_email_missing')
  if (allowedDomains !== null && !allowedDomains.includes(asserted.domain)) throw new Refusal('sso_domain')
  const known = await findIdentity(trx, noTenant, signedIn)
  if (known !== undefined) await noteUse(trx, known.identityId, management.now())
  const person = known ?? (await bind(trx, management, asserted, { signedIn, makesAccounts: allowedDomains !== null }))
  await followOperatorClaim(trx, management, installation, { userId: person.userId, signedIn })
  return person
}

interface Binding {
  signedIn: SignedIn
  makesAccounts: boolean
}

async function bind(
  trx: Transaction<Schema>,
  management: ManagementDependencies,
  { email, isVerified }: AssertedEmail,
  { signedIn, makesAccounts }: Binding,
): Promise<SignedInPerson> {
  const { now, randomId } = management
  const { issuer, subject } = signedIn
  if (isVerified !== true) throw new Refusal('sso_email_unverified')
  if (makesAccounts) {
    await trx
      .insertInto('users')
      .values({ id: randomId(), email, password_hash: null, email_proven_at: now(), created_at: now() })
      .onConflict(conflict => conflict.doNothing())
      .execute()
  }
  const user = await trx.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  if (user === undefined) throw new Refusal('sso_no_account')
  // Another person may have the email now: whoever had the account must link the new identity.
  if (await hasIdentity(trx, issuer, user.id)) throw new Refusal('sso_link_required')
  await takeOver(trx, user.id, now())
  const identityId = await addIdentity(trx, management, { tenantId: noTenant, issuer, subject, userId: user.id })
  return { userId: user.id, identityId, email }
}

async function hasIdentity(trx: Transaction<Schema>, issuer: string, userId: string): Promise<boolean> {
  const identity = await trx
    .selectFrom('sso_identities')
    .select('id')
    .where('tenant_id', '=', noTenant)
    .where('issuer', '=', issuer)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return identity !== undefined
}

/** Operators that others made stay, whatever the claim says. */
async function followOperatorClaim(
  trx: Transaction<Schema>,
  { now }: ManagementDependencies,
  { operatorClaim }: InstallationIssuer,
  { userId, signedIn }: { userId: string; signedIn: SignedIn },
): Promise<void> {
  if (operatorClaim === null) return
  const isOperator = hasClaim(signedIn.claims, operatorClaim.name, operatorClaim.value)
  const changed = isOperator
    ? await trx
        .insertInto('operators')
        .values({ user_id: userId, created_at: now(), created_by: makerOfOperators })
        .onConflict(conflict => conflict.doNothing())
        .returning('user_id')
        .executeTakeFirst()
    : await trx
        .deleteFrom('operators')
        .where('user_id', '=', userId)
        .where('created_by', '=', makerOfOperators)
        .returning('user_id')
        .executeTakeFirst()
  if (changed !== undefined) noteAct({ before: { operator: !isOperator }, after: { operator: isOperator } })
}
