// Verifies tokens from a project's external identity provider. Tenant, project and role never come from such a token,
// so its tid, pid, role and tier claims must not be read.
import { type JsonObject, ownValue } from '../../domain/json-object.ts'
import { isSignedBy, type VerifyingKey } from '../keys/check-signature.ts'
import { readPayload, type TokenError, type TokenForm } from '../token-form.ts'
import { hasAudience, isInteger, isText, leewaySeconds } from './claim-rules.ts'

const maxTierLength = 255

export interface ExternalTokenRules {
  readonly issuer: string
  readonly audience: string
  readonly userIdClaim: string
  readonly tierClaim: string | null
}

export interface ExternalClaims {
  readonly uid: string
  readonly tier?: string
  readonly exp: number
  readonly nbf?: number
  readonly iat?: number
}

/** Returns the user id to use, or null if no end user may have it. */
export type CheckUserId = (id: string) => string | null

/** Returns the claims, or the reason for rejecting the token. */
export function verifyExternalToken(
  form: TokenForm,
  key: VerifyingKey,
  rules: ExternalTokenRules,
  checkUserId: CheckUserId,
  nowMs: number,
): ExternalClaims | TokenError {
  if (form.typ !== null && form.typ !== 'JWT' && form.typ !== 'at+jwt') return 'typ'
  if (form.kid !== key.kid) return 'kid'
  if (!key.algorithms.some(allowed => allowed === form.alg)) return 'alg'
  if (!isSignedBy(key, form.alg, form.signed, form.signature)) return 'signature'
  const payload = readPayload(form)
  if (typeof payload === 'string') return payload
  return findExternalTimeError(payload, nowMs) ?? readExternalClaims(payload, rules, checkUserId)
}

function findExternalTimeError(payload: JsonObject, nowMs: number): TokenError | null {
  const { iat, nbf, exp } = payload
  const latest = nowMs / 1000 + leewaySeconds
  if (!isInteger(exp)) return 'exp'
  if (nowMs >= exp * 1000) return 'expired'
  if (nbf !== undefined && (!isInteger(nbf) || nbf > latest)) return 'nbf'
  if (iat !== undefined && (!isInteger(iat) || iat > latest)) return 'iat'
  return null
}

function readExternalClaims(
  payload: JsonObject,
  rules: ExternalTokenRules,
  checkUserId: CheckUserId,
): ExternalClaims | TokenError {
  if (payload['iss'] !== rules.issuer) return 'iss'
  if (!hasAudience(payload['aud'], rules.audience)) return 'aud'
  if (!isText(payload['sub'])) return 'claims'
  // The tenant chooses the claim's name, which must not match inherited members such as `constructor`.
  const claimedId = ownValue(payload, rules.userIdClaim)
  const uid = isText(claimedId) ? checkUserId(claimedId) : null
  if (uid === null) return 'user_id'
  const tier = rules.tierClaim === null ? undefined : ownValue(payload, rules.tierClaim)
  return Object.freeze({
    uid,
    // An invalid tier is ignored: as with an unknown one, the project's own settings apply.
    ...(isText(tier) && tier.length <= maxTierLength ? { tier } : {}),
    exp: payload['exp'] as number,
    ...(payload['nbf'] === undefined ? {} : { nbf: payload['nbf'] as number }),
    ...(payload['iat'] === undefined ? {} : { iat: payload['iat'] as number }),
  })
}
