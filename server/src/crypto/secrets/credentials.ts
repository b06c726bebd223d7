// The shapes of the opaque credentials we hand out, and the digests they are stored and found under.
// Knows nothing of who holds them; the slow hash of an API key is password.ts's.
import { createHash } from 'node:crypto'
import { brand } from '../../domain/brand.ts'

/** `node:crypto` randomBytes, or a test's own. */
export type RandomBytes = (count: number) => Uint8Array

/** What every API key begins with; anything else is refused before a digest is looked up. */
export const apiKeyStart = `${brand}_sk_live_`

export function newApiKey(random: RandomBytes): string {
  return apiKeyStart + Buffer.from(random(16)).toString('hex')
}

export function apiKeyDigest(apiKey: string): string {
  return sha256Hex(apiKey)
}

/** What lists show of a key: the start of its digest, never of the key itself. */
export function apiKeyPrefix(digest: string): string {
  return `${digest.slice(0, 8)}…`
}

export function newSessionToken(random: RandomBytes): string {
  return `sess_${newToken(random)}`
}

export function newInvitationToken(random: RandomBytes): string {
  return newToken(random)
}

/** Session and invitation tokens carry 256 random bits, so that a fast digest is enough to store. */
export function tokenDigest(token: string): string {
  return sha256Hex(token)
}

function newToken(random: RandomBytes): string {
  return Buffer.from(random(32)).toString('base64url')
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
