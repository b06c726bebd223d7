// What an authenticator says in a response (WebAuthn Level 3, §6.1): for which site, how the person was checked, its
// counter, and when it registers a passkey, its id and public key.

import type { KeyObject } from 'node:crypto'
import type { JsonObject } from '../../domain/json-object.ts'
import { vetPublicKey } from '../keys/vet-public-key.ts'
import { type Cbor, readCbor } from './cbor.ts'

export interface AuthenticatorData {
  rpIdHash: Buffer
  isPresent: boolean
  isVerified: boolean
  counter: number
  credential: { id: string; publicKey: KeyObject } | null
}

const flags = { present: 0x01, verified: 0x04, credential: 0x40, extensions: 0x80 }
const fixedBytes = 37
const modelBytes = 16
const maxIdBytes = 1023

/** Null if it is malformed, or its key is none that we accept. */
export function readAuthenticatorData(bytes: Buffer): AuthenticatorData | null {
  if (bytes.length < fixedBytes) return null
  const has = (flag: number) => ((bytes[32] ?? 0) & flag) !== 0
  const credential = has(flags.credential) ? readCredential(bytes) : { found: null, end: fixedBytes }
  if (credential === null) return null
  const extensions = has(flags.extensions) ? readCbor(bytes, credential.end) : { end: credential.end }
  if (extensions?.end !== bytes.length) return null
  return {
    rpIdHash: bytes.subarray(0, 32),
    isPresent: has(flags.present),
    isVerified: has(flags.verified),
    counter: bytes.readUInt32BE(33),
    credential: credential.found,
  }
}

function readCredential(bytes: Buffer) {
  const lengthAt = fixedBytes + modelBytes
  if (bytes.length < lengthAt + 2) return null
  const idLength = bytes.readUInt16BE(lengthAt)
  const id = bytes.subarray(lengthAt + 2, lengthAt + 2 + idLength)
  if (id.length !== idLength || idLength === 0 || idLength > maxIdBytes) return null
  const key = readCbor(bytes, lengthAt + 2 + idLength)
  const publicKey = key === null ? null : readPublicKey(key.value)
  if (key === null || publicKey === null) return null
  return { found: { id: id.toString('base64url'), publicKey }, end: key.end }
}

/** The numbers of COSE keys (RFC 9053): the type, and for each algorithm the members as a JWK names them. */
const members = { type: 1, algorithm: 3, curve: -1, x: -2, y: -3, modulus: -1, exponent: -2 }

/** The algorithms that we ask for, in the order of preference: Ed25519, ECDSA with P-256, RSA with SHA-256. */
export const passkeyAlgorithms = [-8, -7, -257] as const

function readPublicKey(value: Cbor): KeyObject | null {
  if (!(value instanceof Map)) return null
  const of = (type: number, algorithm: number) =>
    value.get(members.type) === type && value.get(members.algorithm) === algorithm
  const text = (member: number) => {
    const bytes = value.get(member)
    return Buffer.isBuffer(bytes) ? bytes.toString('base64url') : null
  }
  let jwk: JsonObject | null = null
  if (of(1, -8) && value.get(members.curve) === 6) jwk = { kty: 'OKP', x: text(members.x) }
  else if (of(2, -7) && value.get(members.curve) === 1) jwk = { kty: 'EC', x: text(members.x), y: text(members.y) }
  else if (of(3, -257)) jwk = { kty: 'RSA', n: text(members.modulus), e: text(members.exponent) }
  const key = jwk === null ? 'invalid_key' : vetPublicKey(jwk)
  return typeof key === 'string' ? null : key
}
