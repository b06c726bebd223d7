// The RSA key that signs our tokens, its public half, and the key set that we publish.
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { StartupProblem } from '../../domain/startup-problem.ts'
import { readKeySet } from './key-set.ts'
import { vetPublicKey } from './vet-public-key.ts'

export interface PublicJwk {
  kty: 'RSA'
  n: string
  e: string
  kid: string
  use: 'sig'
  alg: 'RS256'
}

export interface SigningKey {
  kid: string
  privateKey: KeyObject
  publicJwk: PublicJwk
  /** RFC 7638: identifies the key itself, regardless of its kid. */
  thumbprint: string
}

/** Accepts PEM or base64 of PEM; returns null for anything but an unencrypted RSA key of an accepted size. */
export function findRsaPrivateKey(text: string): KeyObject | null {
  // Environment files often hold a PEM on one line, with a backslash and an n for each line end.
  const pem = text.includes('-----BEGIN') ? text.replaceAll('\\n', '\n') : Buffer.from(text, 'base64').toString()
  const key = pem.includes('-----BEGIN') ? importPrivateKey(pem) : null
  if (key?.asymmetricKeyType !== 'rsa') return null
  return typeof vetPublicKey({ ...createPublicKey(key).export({ format: 'jwk' }) }) === 'object' ? key : null
}

export function createSigningKey(kid: string, privateKey: KeyObject): SigningKey {
  const publicJwk = toPublicJwk(kid, createPublicKey(privateKey))
  return { kid, privateKey, publicJwk, thumbprint: thumbprintOf(publicJwk) }
}

/** Reads JWT_PREVIOUS_KEYS, a JSON array of public RSA signing keys; null if one of them is anything else. */
export function findPublicJwks(json: string): PublicJwk[] | null {
  if (/^\[\s*\]$/.test(json)) return []
  const keySet = readKeySet(`{"keys":${json}}`, { algorithms: ['RS256'], reservedKids: new Set() })
  if (typeof keySet === 'string' || keySet.skipped > 0) return null
  return [...keySet.keys.values()].map(({ kid, key }) => toPublicJwk(kid, key))
}

/** The content of `/.well-known/jwks.json`: the current key first, then those that are still accepted. */
export function keySetDocument(current: SigningKey, previous: readonly PublicJwk[]): { keys: PublicJwk[] } {
  const others = previous.filter(({ kid }) => kid !== current.kid)
  const twin = previous.find(({ kid }) => kid === current.kid)
  if (twin && thumbprintOf(twin) !== current.thumbprint) {
    throw new StartupProblem('JWT_PREVIOUS_KEYS has another key with the kid in JWT_KEY_ID.')
  }
  return { keys: [current.publicJwk, ...others] }
}

/** Clients may cache that document for as long as our own gateways do. */
export const keySetHeaders = { 'cache-control': 'public, max-age=300' }

function toPublicJwk(kid: string, key: KeyObject): PublicJwk {
  const { n, e } = key.export({ format: 'jwk' })
  if (n === undefined || e === undefined) throw new TypeError('not an RSA key')
  return { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' }
}

function thumbprintOf({ e, kty, n }: PublicJwk): string {
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
}

// The parser's message could quote the key; callers report what the text must be.
function importPrivateKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}
