// Writes a cached answer as the key-value store keeps it, compressed and encrypted, and reads it.

import { randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { encrypt, findPlaintext, nonceBytes } from '../../crypto/secrets/aes-gcm.ts'
import type { Delta } from '../../domain/conversation/answer.ts'

export interface CachedAnswer {
  /** When it was given, in epoch ms. */
  at: number
  deltas: readonly Delta[]
}

/** More than the longest answer that is recorded, as JSON. */
const maxBytes = 16 * 1_048_576

/** `name` is the answer's key in the store: under another one it cannot be read. */
export function sealAnswer(key: Uint8Array, name: string, answer: CachedAnswer): string {
  const nonce = randomBytes(nonceBytes)
  const plaintext = deflateRawSync(JSON.stringify(answer), { level: 1 })
  return Buffer.concat([nonce, encrypt(key, nonce, plaintext, Buffer.from(name))]).toString('base64')
}

/** Null if it was sealed with another key or under another name. */
export function openAnswer(key: Uint8Array, name: string, sealed: string): CachedAnswer | null {
  const bytes = Buffer.from(sealed, 'base64')
  if (bytes.length < nonceBytes) return null
  const nonce = bytes.subarray(0, nonceBytes)
  const plaintext = findPlaintext(key, nonce, bytes.subarray(nonceBytes), Buffer.from(name))
  if (plaintext === null) return null
  return JSON.parse(inflateRawSync(plaintext, { maxOutputLength: maxBytes }).toString()) as CachedAnswer
}
