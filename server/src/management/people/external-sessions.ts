// Accepts tokens of the operator's own OIDC issuer as dashboard sessions. A token identifies an existing account by its
// verified email only. It creates no account and grants no role: memberships decide what a user may do. The first one
// clears the account's password, unless the operator made the account: somebody else may have made it for this email.

import type { Kysely } from 'kysely'
import { tokenDigest } from '../../crypto/secrets/credentials.ts'
import { readPayload, readTokenForm } from '../../crypto/token-form.ts'
import { verifyExternalToken } from '../../crypto/tokens/verify-external-token.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { SessionFinder } from '../plane/authorise.ts'
import { anonymousCaller, type Session } from '../plane/caller.ts'
import { createRemoteKeys } from '../remote-keys.ts'
import { takeOver } from './take-over.ts'

type Dependencies = Pick<ManagementDependencies, 'sql' | 'outbound' | 'now' | 'log'>

/** The finder returns null if the token is invalid, expired or signed out, or if its email has no account. */
export function createExternalSessionFinder(
  dependencies: Dependencies,
  issuer: ManagementDependencies['settings']['sessionIssuer'],
): SessionFinder {
  if (issuer === null) return async () => null
  const { sql, now, log } = dependencies
  const findKey = createRemoteKeys(dependencies, {
    url: issuer.jwksUrl,
    algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'],
    unavailable: 'session_issuer_unavailable',
    onFailure: reason => log.warn('session issuer keys could not be fetched', { reason }),
  })
  const rules = { issuer: issuer.issuer, audience: issuer.audience, userIdClaim: 'email', tierClaim: null }

  return async token => {
    const form = readTokenForm(token)
    if (typeof form === 'string' || form.kid === null) return null
    const key = await findKey(form.kid)
    if (key === null) return null
    const claims = verifyExternalToken(form, key, rules, asAccountEmail, now())
    if (typeof claims === 'string') return null
    const payload = readPayload(form)
    if (typeof payload === 'string' || payload['email_verified'] !== true) return null
    // The digest of the signed part only: a signature can have a second form that is also valid.
    const digest = tokenDigest(form.signed.toString('latin1'))
    const user = await findOpen(sql, digest, claims.uid)
    if (user === undefined) return null
    if (user.email_proven_at === null) await transact(sql, trx => takeOver(trx, user.id, now()))
    const session: Session = {
      issuer: 'external',
      digest,
      expiresAt: claims.exp * 1000,
      authenticatedAt: null,
      authenticatedBy: null,
      hasSecondFactor: false,
      isCookie: false,
      tenantId: null,
      identityId: null,
    }
    return { ...anonymousCaller, kind: 'user', userId: user.id, email: user.email, session }
  }
}

/** From now on every replica rejects the token, until it expires. */
export async function endExternalSession(
  sql: Pick<Kysely<Schema>, 'insertInto'>,
  { digest, expiresAt }: Session,
): Promise<void> {
  await sql
    .insertInto('ended_sessions')
    .values({ token_digest: digest, expires_at: expiresAt })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

async function findOpen(sql: Kysely<Schema>, digest: string, email: string) {
  return await sql
    .selectFrom('users')
    .select(['id', 'email', 'email_proven_at'])
    .where('email', '=', email)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('ended_sessions').select('token_digest').where('token_digest', '=', digest))),
    )
    .executeTakeFirst()
}

/** Lower-cases ASCII letters only: Unicode lower case maps some other letters to ASCII, to another user's email. */
function asAccountEmail(email: string): string | null {
  return email.length > 320 ? null : email.replace(/[A-Z]+/g, letters => letters.toLowerCase())
}
