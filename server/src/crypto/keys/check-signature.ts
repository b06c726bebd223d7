// Checks a signature with an algorithm that the key allows.
import { constants, type KeyObject, verify } from 'node:crypto'

export type SignatureAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA'

/** A public key and the algorithms it may be used with; the `alg` of a token selects one of them and never adds one. */
export interface VerifyingKey {
  readonly kid: string
  readonly algorithms: readonly SignatureAlgorithm[]
  readonly key: KeyObject
}

export function isSignedBy(key: VerifyingKey, alg: string, signed: Buffer, signature: Buffer): boolean {
  const algorithm = key.algorithms.find(allowed => allowed === alg)
  switch (algorithm) {
    case 'RS256':
      return verify('sha256', signed, key.key, signature)
    case 'PS256':
      // OpenSSL also takes a shorter one whose leading zeros are left out, which RFC 8017 forbids.
      if (signature.length !== Math.ceil((key.key.asymmetricKeyDetails?.modulusLength ?? 0) / 8)) return false
      return verify(
        'sha256',
        signed,
        {
          key: key.key,
          padding: constants.RSA_PKCS1_PSS_PADDING,
          saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
        },
        signature,
      )
    case 'ES256':
      return verify('sha256', signed, { key: key.key, dsaEncoding: 'ieee-p1363' }, signature)
    case 'EdDSA':
      return verify(null, signed, key.key, signature)
    case undefined:
      return false
  }
}
