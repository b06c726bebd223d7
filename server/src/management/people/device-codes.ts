// The two codes of a device's request to be signed in (RFC 8628): a long one that the device keeps, and a short one
// that a person reads and types.

import { randomBytes, randomInt } from 'node:crypto'
import { tokenDigest } from '../../crypto/secrets/credentials.ts'

/** Without vowels, so that no word comes out, and without letters that are taken for others. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const userCodeLength = 8

export const deviceCodeSeconds = 600
/** A device that asks more often is told to slow down. */
export const pollSeconds = 5

export function newDeviceCode(): string {
  return randomBytes(32).toString('base64url')
}

/** Such as `BCDF-GHJK`. */
export function newUserCode(): string {
  const code = Array.from({ length: userCodeLength }, () => letters[randomInt(letters.length)]).join('')
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** People leave out the hyphen, and type small letters. */
export function userCodeDigest(typed: string): string {
  return tokenDigest(`device ${typed.toUpperCase().replace(/[^A-Z]/g, '')}`)
}
