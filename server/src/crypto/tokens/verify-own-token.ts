// Verifies the tokens that this service mints: the header, the signature, every claim. The caller has found the key by
// its kid.
import type { JsonObject } from '../../domain/json-object.ts'
import { type Role, roles } from '../../domain/role.ts'
import { isSignedBy, type VerifyingKey } from '../keys/check-signature.ts'
import { readPayload, type TokenError, type TokenForm } from '../token-form.ts'
import { hasAudience, isInteger, isText, leewaySeconds } from './claim-rules.ts'

const maxLifetimeSeconds = 86_400
/**
 * Headers that name or contain a key: our keys come only from the key set, so a token with such a header is not ours.
 */
const keyHeaders = ['jku', 'jwk', 'x5u', 'x5c']

export interface OwnClaims {
  readonly tid: string
  readonly pid: string
  readonly uid: string
  readonly role: Role
  readonly scp: readonly string[]
  readonly tier?: string
  readonly iss: string
  readonly aud: string
  readonly iat: number
  readonly nbf: number
  readonly exp: number
  readonly jti: string
}

export interface OwnTokenRules {
  readonly issuer: string
  readonly audience: string
}

/** Returns the claims, or the reason for rejecting the token. */
export function verifyOwnToken(
  form: TokenForm,
  key: VerifyingKey,
  rules: OwnTokenRules,
  nowMs: number,
): OwnClaims | TokenError {
  if (form.alg !== 'RS256') return 'alg'
  if (form.typ !== 'JWT') return 'typ'
  if (form.kid !== key.kid) return 'kid'
  if (keyHeaders.some(name => name in form.header)) return 'header_member'
  if (!isSignedBy(key, form.alg, form.signed, form.signature)) return 'signature'
  const payload = readPayload(form)
  if (typeof payload === 'string') return payload
  return findTimeError(payload, nowMs) ?? readOwnClaims(payload, rules)
}

function findTimeError(payload: JsonObject, nowMs: number): TokenError | null {
  const { iat, nbf, exp } = payload
  if (!isInteger(iat)) return 'iat'
  if (!isInteger(nbf)) return 'nbf'
  if (!isInteger(exp)) return 'exp'
  if (exp <= iat || exp - iat > maxLifetimeSeconds) return 'lifetime'
  if (nowMs >= exp * 1000) return 'expired'
  const latest = nowMs / 1000 + leewaySeconds
  if (nbf > latest) return 'nbf'
  if (iat > latest) return 'iat'
  return null
}

function readOwnClaims(payload: JsonObject, rules: OwnTokenRules): OwnClaims | TokenError {
  const { iss, aud, tid, pid, uid, role: claimedRole, scp, jti, tier } = payload
  if (iss !== rules.issuer) return 'iss'
  if (!hasAudience(aud, rules.audience)) return 'aud'
  const role = roles.find(known => known === claimedRole)
  if (!role || !isText(tid) || !isText(pid) || !isText(uid) || !isText(jti)) return 'claims'
  if (!Array.isArray(scp) || !scp.every(isText)) return 'claims'
  if (tier !== undefined && !isText(tier)) return 'claims'
  return Object.freeze({
    tid,
    pid,
    uid,
    role,
    scp: Object.freeze(scp),
    ...(tier === undefined ? {} : { tier }),
    iss: rules.issuer,
    aud: rules.audience,
    iat: payload['iat'] as number,
    nbf: payload['nbf'] as number,
    exp: payload['exp'] as number,
    jti,
  })
}
