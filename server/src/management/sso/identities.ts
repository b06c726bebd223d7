// Identities: whose account it is that an issuer calls by a subject. An email alone never finds one.

import type { Transaction } from 'kysely'
import type { SignedIn } from '../../oidc/issuer-client.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'

export interface SignedInPerson {
  userId: string
  identityId: string
  email: string
}

/** Undefined for somebody who has never signed in this way. */
export async function findIdentity(
  trx: Transaction<Schema>,
  tenantId: string,
  { issuer, subject }: Pick<SignedIn, 'issuer' | 'subject'>,
) {
  return await trx
    .selectFrom('sso_identities')
    .innerJoin('users', 'users.id', 'sso_identities.user_id')
    .select(['sso_identities.id as identityId', 'sso_identities.user_id as userId', 'users.email'])
    .where('sso_identities.tenant_id', '=', tenantId)
    .where('sso_identities.issuer', '=', issuer)
    .where('sso_identities.subject', '=', subject)
    .executeTakeFirst()
}

interface NewIdentity {
  tenantId: string
  issuer: string
  subject: string
  userId: string
}

/** Returns its id. The same identity cannot belong to two accounts. */
export async function addIdentity(
  trx: Transaction<Schema>,
  { now, randomId }: Pick<ManagementDependencies, 'now' | 'randomId'>,
  { tenantId, issuer, subject, userId }: NewIdentity,
): Promise<string> {
  const [id, at] = [randomId(), now()]
  await trx
    .insertInto('sso_identities')
    .values({ id, tenant_id: tenantId, issuer, subject, user_id: userId, created_at: at, last_used_at: at })
    .execute()
  return id
}

export async function noteUse(trx: Transaction<Schema>, identityId: string, at: number): Promise<void> {
  await trx.updateTable('sso_identities').set({ last_used_at: at }).where('id', '=', identityId).execute()
}
