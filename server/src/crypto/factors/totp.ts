// Codes of authenticator apps (RFC 6238): six digits, SHA-1, a new one each 30 seconds, which is what all apps can do.

import { createHmac } from 'node:crypto'
import { isSameSecret } from '../compare.ts'
import type { RandomBytes } from '../secrets/credentials.ts'
import type { SecretContext } from '../secrets/secret-box.ts'
import { fromBase32, toBase32 } from './base32.ts'

const stepMs = 30_000
const secretBytes = 20
/** The clocks of telephones differ: the codes before and after the current one count, too. */
const tolerance = [0, -1, 1]

export function newTotpSecret(random: RandomBytes): string {
  return toBase32(random(secretBytes))
}

/** What the QR code holds. */
export function totpUri({ issuer, email, secret }: { issuer: string; email: string; secret: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email.toWellFormed())}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`
}

/** The step that the code belongs to; null if it is none of those around this time. */
export function findStep(secret: string, code: string, now: number): number | null {
  const current = Math.floor(now / stepMs)
  const key = fromBase32(secret)
  const matching = tolerance.map(offset => current + offset).filter(step => isSameSecret(code, codeAt(key, step)))
  return matching[0] ?? null
}

export function totpContext(userId: string): SecretContext {
  return { purpose: 'totp', tenantId: '', rowId: userId }
}

function codeAt(key: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hash = createHmac('sha1', key).update(counter).digest()
  const start = (hash.at(-1) ?? 0) & 0xf
  const number = hash.readUInt32BE(start) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}
