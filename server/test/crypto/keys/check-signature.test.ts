// Third-party vectors for signatures and keys, on machines that have them: every verdict must be right.
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isSignedBy, type SignatureAlgorithm } from '../../../src/crypto/keys/check-signature.ts'
import { type KeySet, readKeySet } from '../../../src/crypto/keys/key-set.ts'
import { readTokenForm } from '../../../src/crypto/token-form.ts'
import { describeWithSharedData } from '../../support/shared-data.ts'
import { makeKey, signBytes } from '../token-kit.ts'

const algorithms: readonly SignatureAlgorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA']

interface Vector {
  tcId: number
  comment: string
  result: 'valid' | 'invalid' | 'acceptable'
  jws?: string
  msg?: string
  sig?: string
}

interface Group {
  public?: { keys?: unknown[]; alg?: string; kty?: string }
  private?: { keys?: unknown[]; alg?: string; kty?: string }
  publicKeyDer?: string
  sha?: string
  tests: Vector[]
}

function readGroups(path: string): Group[] {
  return (JSON.parse(readFileSync(path, 'utf8')) as { testGroups: Group[] }).testGroups
}

/** As the gateway would: vet the set, find the key by kid, check the form, then the signature. */
function accepts(keys: KeySet | string, jws: string): boolean {
  const form = readTokenForm(jws)
  if (typeof keys === 'string' || typeof form === 'string' || form.kid === null) return false
  const key = keys.keys.get(form.kid)
  return key !== undefined && isSignedBy(key, form.alg, form.signed, form.signature)
}

/**
 * Valid vectors of other algorithms are refused on purpose; the header decides, for some name another than their key.
 */
function isOurs(jws: string): boolean {
  const header = JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()) as { alg: string }
  return algorithms.some(algorithm => algorithm === header.alg)
}

// The one signature test that needs no vectors.
test.each(algorithms)('%s: every single flipped bit of signature or text is noticed', alg => {
  const { kid, privateKey } = makeKey('k', alg)
  const key = { kid, algorithms: [alg], key: createPublicKey(privateKey) }
  const signature = signBytes(privateKey, alg, 'text')
  const text = Buffer.from('text')
  expect(isSignedBy(key, alg, text, signature)).toBe(true)
  for (const other of algorithms) if (other !== alg) expect(isSignedBy(key, other, text, signature)).toBe(false)
  for (const [what, bytes] of [
    ['signature', signature],
    ['text', text],
  ] as const) {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      const right = what === 'text' ? isSignedBy(key, alg, flipped, signature) : isSignedBy(key, alg, text, flipped)
      expect(right, `${what} bit ${bit}`).toBe(false)
    }
  }
  for (const bytes of [signature.subarray(1), signature.subarray(0, -1), Buffer.concat([signature, Buffer.alloc(1)])]) {
    expect(isSignedBy(key, alg, text, bytes)).toBe(false)
  }
})

test('PS256: a signature without its leading zero is another signature', () => {
  const { kid, privateKey } = makeKey('k', 'PS256')
  const key = { kid, algorithms: ['PS256'] as const, key: createPublicKey(privateKey) }
  const text = Buffer.from('text')
  let signature = signBytes(privateKey, 'PS256', 'text')
  // Each has another salt: one of 256 begins with a zero.
  while (signature[0] !== 0) signature = signBytes(privateKey, 'PS256', 'text')
  expect(isSignedBy(key, 'PS256', text, signature)).toBe(true)
  expect(isSignedBy(key, 'PS256', text, signature.subarray(1))).toBe(false)
})

describeWithSharedData('wycheproof', 'security/wycheproof', folder => {
  const sizes = [2048, 3072, 4096, 8192]
  test.each(sizes)('PKCS#1 v1.5 with SHA-256, %i bits', size => {
    let decided = 0
    for (const group of readGroups(join(folder, `rsa_signature_${size}_sha256_test.json`))) {
      const key = createPublicKey({ key: Buffer.from(group.publicKeyDer ?? '', 'hex'), format: 'der', type: 'spki' })
      for (const { tcId, msg = '', sig = '', result } of group.tests) {
        if (result === 'acceptable') continue
        const verifying = { kid: 'k', algorithms: ['RS256'] as const, key }
        const right = isSignedBy(verifying, 'RS256', Buffer.from(msg, 'hex'), Buffer.from(sig, 'hex'))
        expect(right, `${size}/${tcId}`).toBe(result === 'valid')
        decided++
      }
    }
    expect(decided).toBeGreaterThan(200)
  })

  test.each(['json_web_signature_test.json', 'json_web_key_test.json', 'json_web_crypto_test.json'])('%s', file => {
    let decided = 0
    let accepted = 0
    for (const group of readGroups(join(folder, file))) {
      const published = group.public ?? group.private ?? {}
      const document = JSON.stringify('keys' in published ? published : { keys: [published] })
      const keys = readKeySet(document, { algorithms, reservedKids: new Set() })
      for (const { tcId, comment, jws, result } of group.tests) {
        // Vectors of encryption, and of the JSON serialisation, which is an object there.
        if (typeof jws !== 'string') continue
        const right = accepts(keys, jws)
        expect(right, `${file} ${tcId} ${comment}`).toBe(result === 'valid' && isOurs(jws))
        decided++
        if (right) accepted++
      }
    }
    expect(decided).toBeGreaterThan(20)
    expect(accepted).toBeGreaterThan(0)
  })
})
