// Makes tokens and key sets by hand, good ones and hostile ones, from real keys. Uses nothing of the code under test
// but its types, so that a fault there cannot hide here.
import { constants, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { brand } from '../../src/domain/brand.ts'

export const issuer = 'https://gate.example.com'
export const audience = brand
export const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0)
export const nowSeconds = nowMs / 1000

export interface TestKey {
  kid: string
  privateKey: KeyObject
  jwk: Record<string, unknown>
}

export type TestAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA'

export function makeKey(kid: string, alg: TestAlgorithm = 'RS256', modulusLength = 2048): TestKey {
  const { privateKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : alg === 'EdDSA'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('rsa', { modulusLength })
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' })
  return { kid, privateKey, jwk: { ...jwk, kid, use: 'sig', alg } }
}

export function encode(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}

export function signBytes(key: KeyObject, alg: string, input: string): Buffer {
  const data = Buffer.from(input)
  if (alg === 'PS256') return sign('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 })
  if (alg === 'ES256') return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
  if (alg === 'EdDSA') return sign(null, data, key)
  return sign('sha256', data, key)
}

/** Header and payload may be values or the JSON text itself, for text that no serialiser would write. */
export function makeToken(key: TestKey, header: unknown, payload: unknown, alg = 'RS256'): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${signBytes(key.privateKey, alg, input).toString('base64url')}`
}

export function ownHeader(key: TestKey, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { alg: 'RS256', typ: 'JWT', kid: key.kid, ...more }
}

export function ownClaims(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    tid: '5a3c9d52-3c0f-4f0e-9d59-d9ee9a6d2f3e',
    pid: '0c5ec2a0-9f1c-4a77-a3de-7c1f0f3a0b11',
    uid: 'user-1',
    role: 'user',
    scp: [],
    iss: issuer,
    aud: audience,
    iat: nowSeconds,
    nbf: nowSeconds,
    exp: nowSeconds + 3600,
    jti: '7b1de0a9-6c53-4d93-a23b-5dff1f6b9d10',
    ...more,
  }
}

/** A claim set to this is left out. */
export const without = undefined

export const externalIssuer = 'https://idp.example.net/'
export const externalAudience = 'chat-app'

export function externalClaims(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    iss: externalIssuer,
    aud: externalAudience,
    sub: 'auth0|42',
    iat: nowSeconds,
    exp: nowSeconds + 3600,
    ...more,
  }
}

export function keySetText(...keys: ReadonlyArray<TestKey | Record<string, unknown>>): string {
  return JSON.stringify({ keys: keys.map(key => ('jwk' in key ? key['jwk'] : key)) })
}
