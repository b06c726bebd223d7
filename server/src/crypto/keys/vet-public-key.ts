// Checks whether a public key can be trusted to verify anything: sizes, exponents, points, known broken generators.
// OpenSSL imports what passes.
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { JsonObject } from '../../domain/json-object.ts'
import { decodeCanonical } from '../token-form.ts'

export type KeyError = 'invalid_key' | 'weak_key'

const minModulusBits = 2048
const maxModulusBits = 8192
const minExponent = 65_537n
/** A longer exponent would let the publisher of the key make each verification as expensive as signing. */
const maxExponent = 2n ** 64n

/** Accepts a JWK of type RSA, EC on P-256 or OKP on Ed25519. */
export function vetPublicKey(jwk: JsonObject): KeyObject | KeyError {
  switch (jwk['kty']) {
    case 'RSA':
      return vetRsaKey(jwk)
    case 'EC':
      return vetCurveKey({ kty: 'EC', crv: 'P-256' }, { x: jwk['x'], y: jwk['y'] })
    default:
      return vetCurveKey({ kty: 'OKP', crv: 'Ed25519' }, { x: jwk['x'] })
  }
}

interface CurveName {
  kty: 'EC' | 'OKP'
  crv: 'P-256' | 'Ed25519'
}

function vetRsaKey(jwk: JsonObject): KeyObject | KeyError {
  const n = readInteger(jwk['n'])
  const e = readInteger(jwk['e'])
  if (n === null || e === null) return 'invalid_key'
  const bits = n.toString(2).length
  if (bits < minModulusBits || bits > maxModulusBits || n % 2n === 0n || isFromRocaGenerator(n)) return 'weak_key'
  if (e < minExponent || e > maxExponent || e % 2n === 0n) return 'weak_key'
  return importKey({ kty: 'RSA', n: jwk['n'], e: jwk['e'] })
}

function vetCurveKey(curve: CurveName, coordinates: JsonObject): KeyObject | KeyError {
  for (const text of Object.values(coordinates)) {
    const bytes = typeof text === 'string' ? decodeCanonical(text) : null
    if (bytes?.length !== 32) return 'invalid_key'
    if (curve.kty === 'OKP' && isOfSmallOrder(bytes)) return 'weak_key'
  }
  return importKey({ ...curve, ...coordinates })
}

function importKey(jwk: JsonObject): KeyObject | KeyError {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    // For example, a point that is not on its curve.
    return 'invalid_key'
  }
}

function readInteger(text: unknown): bigint | null {
  const bytes = typeof text === 'string' ? decodeCanonical(text) : null
  // Longer than any allowed modulus, including the leading zeros that some issuers write.
  if (!bytes || bytes.length === 0 || bytes.length > 2 * (maxModulusBits / 8)) return null
  return BigInt(`0x${bytes.toString('hex')}`)
}

// Keys from one widespread chip library are products of primes of the form k·M + 65537^a mod M and can be factored
// (CVE-2017-15361). Their modulus is a power of 65537 modulo each small prime; a random modulus is that once in about a
// hundred million.
const smallPrimes = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113,
  127, 131, 137, 139, 149, 151, 157, 163, 167,
]
const powersOf65537 = smallPrimes.map(prime => {
  const powers = new Set<number>()
  for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power)
  return { prime: BigInt(prime), powers }
})

function isFromRocaGenerator(modulus: bigint): boolean {
  return powersOf65537.every(({ prime, powers }) => powers.has(Number(modulus % prime)))
}

/** With one of these points as the key, anybody can sign any message. */
const smallOrderPoints = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

function isOfSmallOrder(point: Buffer): boolean {
  const unsigned = Buffer.from(point)
  unsigned[31] = unsigned[31]! & 0x7f
  return smallOrderPoints.has(unsigned.toString('hex'))
}
