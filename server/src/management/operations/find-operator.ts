// Finds who an operator is: by ADMIN_SECRET, which stays the root, by a credential in its place, or by the session of
// an account that is an operator and has just authenticated, or began it with a second factor.

import type { Kysely } from 'kysely'
import { isSameSecret } from '../../crypto/compare.ts'
import { operatorSecretStart, tokenDigest } from '../../crypto/secrets/credentials.ts'
import { authentications } from '../../domain/access/authentications.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { OperatorFinder } from '../plane/authorise.ts'
import { anonymousCaller, type Session } from '../plane/caller.ts'
import type { Route } from '../plane/route.ts'
import { isRecent } from '../plane/step-up.ts'

export function createOperatorFinder({ sql, now, settings }: ManagementDependencies): OperatorFinder {
  return {
    // Not rate-limited: the secrets are too long to be guessed, and a client at the operator's address, such as a
    // proxy's, must not be able to lock the kill switches.
    async bySecret(route, secret) {
      if (isSameSecret(secret, settings.adminSecret)) {
        return { ...anonymousCaller, kind: 'admin', email: 'operator', operatorId: 'admin' }
      }
      const credential = secret.startsWith(operatorSecretStart) ? await findCredential(sql, secret, now()) : undefined
      if (credential === undefined) throw new Refusal('invalid_admin_secret')
      if (route.notForCredentials) throw new Refusal('not_for_credentials')
      if (credential.scope === 'read' && route.method !== 'GET') throw new Refusal('credential_reads_only')
      const email = `operator credential ${credential.name}`
      return { ...anonymousCaller, kind: 'admin', email, operatorId: `credential ${credential.id}` }
    },

    /** The session of somebody who is no operator opens as little as no credential. */
    async bySession(route, caller) {
      const operator = await sql
        .selectFrom('operators')
        .select('user_id')
        .where('user_id', '=', caller.userId)
        .executeTakeFirst()
      if (operator === undefined) throw new Refusal('invalid_admin_secret')
      if (caller.session === null || !suffices(route, caller.session, now())) throw new Refusal('reauthenticate')
      return { ...caller, kind: 'admin', operatorId: `user ${caller.userId}` }
    },
  }
}

/** A session that began with a second factor may read for as long as it lasts. */
function suffices({ method }: Route, session: Session, now: number): boolean {
  const isStrong = session.authenticatedBy !== null && authentications[session.authenticatedBy].isStrong
  return isRecent(session, now) || (isStrong && method === 'GET')
}

async function findCredential(sql: Kysely<Schema>, secret: string, now: number) {
  return await sql
    .selectFrom('operator_credentials')
    .select(['id', 'name', 'scope'])
    .where('digest', '=', tokenDigest(secret))
    .where(row => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .executeTakeFirst()
}
