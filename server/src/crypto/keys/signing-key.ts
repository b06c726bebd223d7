// The RSA key that signs our tokens, its public half, and the key set that we publish.
// Knows nothing of claims, files or variables.
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
  /** RFC 7638: names the key itself, whatever its kid. */
  thumbprint: string
}

/** PEM or base64 of PEM; null for anything but an unencrypted RSA key of a sound size. */
export function findRsaPrivateKey(text: string): KeyObject | null {
  // Files of variables often hold a PEM on one line, with backslash and n for each line end.
  const pem = text.includes('-----BEGIN') ? text.replaceAll('\\n', '\n') : Buffer.from(text, 'base64').toString()
  const key = pem.includes('-----BEGIN') ? importPrivateKey(pem) : null
  if (key?.asymmetricKeyType !== 'rsa') return null
  return typeof vetPublicKey({ ...createPublicKey(key).export({ format: 'jwk' }) }) === 'object' ? key : null
}

export function createSigningKey(kid: string, privateKey: KeyObject): SigningKey {
  const publicJwk = toPublicJwk(kid, createPublicKey(privateKey))
  return { kid, privateKey, publicJwk, thumbprint: thumbprintOf(publicJwk) }
}

/** The JSON array of public RSA signing keys that JWT_PREVIOUS_KEYS holds; null when one of them is anything else. */
export function findPublicJwks(json: string): PublicJwk[] | null {
  if (/^\[\s*\]$/.test(json)) return []
  const keySet = readKeySet(`{"keys":${json}}`, { algorithms: ['RS256'], reservedKids: new Set() })
  if (typeof keySet === 'string' || keySet.skipped > 0) return null
  return [...keySet.keys.values()].map(({ kid, key }) => toPublicJwk(kid, key))
}

/** What `/.well-known/jwks.json` answers: the current key first, then those that are still accepted. */
export function keySetDocument(current: SigningKey, previous: readonly PublicJwk[]): { keys: PublicJwk[] } {
  const others = previous.filter(({ kid }) => kid !== current.kid)
  const twin = previous.find(({ kid }) => kid === current.kid)
  if (twin && thumbprintOf(twin) !== current.thumbprint) {
    throw new StartupProblem('JWT_PREVIOUS_KEYS holds another key under the kid that JWT_KEY_ID names.')
  }
  return { keys: [current.publicJwk, ...others] }
}

/** How long whoever fetches that document may keep it: as long as our own gateways do. */
export const keySetHeaders = { 'cache-control': 'public, max-age=300' }

function toPublicJwk(kid: string, key: KeyObject): PublicJwk {
  const { n, e } = key.export({ format: 'jwk' })
  if (n === undefined || e === undefined) throw new TypeError('not an RSA key')
  return { kty: 'RSA', n, e, kid, use: 'sig', alg: 'RS256' }
}

function thumbprintOf({ e, kty, n }: PublicJwk): string {
  return createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
}

// The parser's own words could quote the key; callers say in one sentence what the text must be.
function importPrivateKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}
