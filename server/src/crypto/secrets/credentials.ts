// The formats of the opaque credentials we issue, and the digests they are stored and found under. `password.ts` has
// the slow hash of an API key.
import { createHash } from 'node:crypto'
import { brand } from '../../domain/brand.ts'

/** `node:crypto` randomBytes, or a test's own function. */
export type RandomBytes = (count: number) => Uint8Array

/** Every API key begins with this; anything else is rejected before its digest is looked up. */
export const apiKeyStart = `${brand}_sk_live_`

export function newApiKey(random: RandomBytes): string {
  return apiKeyStart + Buffer.from(random(16)).toString('hex')
}

export function apiKeyDigest(apiKey: string): string {
  return sha256Hex(apiKey)
}

const apiKeyForm = new RegExp(`^${apiKeyStart}[0-9a-f]{32}$`)

/** The last four characters, by which people recognise a key; of what is no key of ours, nothing. */
export function apiKeyHint(apiKey: string): string {
  return apiKeyForm.test(apiKey) ? apiKey.slice(-4) : 'malformed'
}

/** Shown in lists of keys: the start of the digest, never of the key itself. */
export function apiKeyPrefix(digest: string): string {
  return `${digest.slice(0, 8)}…`
}

export const serviceAccountStart = 'svc_'

export function newServiceAccountKey(random: RandomBytes): string {
  return serviceAccountStart + newToken(random)
}

export const operatorSecretStart = 'op_'

export function newOperatorSecret(random: RandomBytes): string {
  return operatorSecretStart + newToken(random)
}

/** The last four characters of a key that we made, by which people recognise it. */
export function keyHint(key: string): string {
  return key.slice(-4)
}

export function newSessionToken(random: RandomBytes): string {
  return `sess_${newToken(random)}`
}

export function newInvitationToken(random: RandomBytes): string {
  return newToken(random)
}

export function newChallenge(random: RandomBytes): string {
  return newToken(random)
}

/** Session and invitation tokens have 256 random bits, so a fast digest is enough. */
export function tokenDigest(token: string): string {
  return sha256Hex(token)
}

function newToken(random: RandomBytes): string {
  return Buffer.from(random(32)).toString('base64url')
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
