// Dashboard sessions of the operator's own OIDC issuer: its tokens, verified and held against our accounts by verified
// email alone. They make no account and carry no role; what a user may do is in the memberships, as for everybody.

import type { Kysely } from 'kysely'
import type { VerifyingKey } from '../../crypto/keys/check-signature.ts'
import { maxKeySetBytes, readKeySet } from '../../crypto/keys/key-set.ts'
import { createRemoteKeySet, type RemoteKeySet } from '../../crypto/keys/remote-key-set.ts'
import { tokenDigest } from '../../crypto/secrets/credentials.ts'
import { readPayload, readTokenForm } from '../../crypto/token-form.ts'
import { verifyExternalToken } from '../../crypto/tokens/verify-external-token.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { SessionFinder } from '../plane/authorise.ts'
import { nobody, type Session } from '../plane/caller.ts'

const cacheTtlSeconds = 300
const fetchTimeoutMs = 5000

type Parts = Pick<ManagementDependencies, 'sql' | 'outbound' | 'now' | 'log'>

/** Null from the finder is a token that opens nothing: bad, ended, or of somebody without an account here. */
export function createExternalSessionFinder(
  parts: Parts,
  issuer: ManagementDependencies['settings']['sessionIssuer'],
): SessionFinder {
  if (issuer === null) return async () => null
  const { sql, now } = parts
  const keySet = createIssuerKeySet(parts, issuer.jwksUrl)
  const rules = { issuer: issuer.issuer, audience: issuer.audience, userIdClaim: 'email', tierClaim: null }

  return async token => {
    const form = readTokenForm(token)
    if (typeof form === 'string' || form.kid === null) return null
    const key = await findKey(keySet, form.kid)
    if (key === null) return null
    const claims = verifyExternalToken(form, key, rules, asAccountEmail, now())
    if (typeof claims === 'string') return null
    const payload = readPayload(form)
    if (typeof payload === 'string' || payload['email_verified'] !== true) return null
    // By what was signed: a signature can have a second form that is as good as the first.
    const digest = tokenDigest(form.signed.toString('latin1'))
    const user = await findOpen(sql, digest, claims.uid)
    if (user === undefined) return null
    const session: Session = { issuer: 'external', digest, expiresAt: claims.exp * 1000, isCookie: false }
    return { ...nobody, kind: 'user', userId: user.id, email: user.email, session }
  }
}

/** The token is refused from now on, on every copy, for as long as it would have lived. */
export async function endExternalSession(sql: Kysely<Schema>, { digest, expiresAt }: Session): Promise<void> {
  await sql
    .insertInto('ended_sessions')
    .values({ token_digest: digest, expires_at: expiresAt })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

async function findOpen(sql: Kysely<Schema>, digest: string, email: string) {
  return await sql
    .selectFrom('users')
    .select(['id', 'email'])
    .where('email', '=', email)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('ended_sessions').select('token_digest').where('token_digest', '=', digest))),
    )
    .executeTakeFirst()
}

/** Folds plain letters alone: other folding turns some foreign letters into plain ones, and one person into another. */
function asAccountEmail(email: string): string | null {
  return email.length > 320 ? null : email.replace(/[A-Z]+/g, letters => letters.toLowerCase())
}

function createIssuerKeySet({ outbound, now, log }: Parts, url: string): RemoteKeySet {
  return createRemoteKeySet({
    url,
    now,
    cacheTtlSeconds,
    async fetch(address, signal) {
      const request = {
        url: address,
        method: 'GET',
        headers: { accept: 'application/json' },
        guard: 'operator' as const,
      }
      const limits = { timeoutMs: fetchTimeoutMs, maxBytes: maxKeySetBytes, signal }
      const { status, body } = await outbound.send({ ...request, ...limits })
      return { status, body: body.toString('utf8') }
    },
    // Its keys never meet our own, so that no kid is reserved.
    read: text => readKeySet(text, { algorithms: ['RS256', 'ES256', 'PS256', 'EdDSA'], reservedKids: new Set() }),
    onFailure: reason => log.warn('session issuer keys could not be fetched', { reason }),
  })
}

async function findKey(keySet: RemoteKeySet, kid: string): Promise<VerifyingKey | null> {
  const atHand = keySet.current()
  const known = atHand ?? (await keySet.ready())
  const key = known?.keys.get(kid)
  if (key !== undefined) return key
  const sought = known === null ? null : await keySet.seek(atHand === null)
  // Without keys nothing can be said of the token.
  if (sought === null) throw new Refusal('session_issuer_unavailable')
  return sought.keys.get(kid) ?? null
}
