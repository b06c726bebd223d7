// AES-256-GCM with 96-bit nonces and 128-bit tags.
import { createCipheriv, createDecipheriv } from 'node:crypto'

export const keyBytes = 32
export const nonceBytes = 12
const tagBytes = 16

const algorithm = 'aes-256-gcm'

/** Returns the ciphertext followed by the tag. A nonce must never be used twice with the same key. */
export function encrypt(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, additionalData: Uint8Array): Buffer {
  const cipher = createCipheriv(algorithm, key, checkedNonce(nonce), { authTagLength: tagBytes })
  cipher.setAAD(additionalData)
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** Null if key, nonce, additional data and ciphertext do not belong together. */
export function findPlaintext(
  key: Uint8Array,
  nonce: Uint8Array,
  sealed: Uint8Array,
  additionalData: Uint8Array,
): Buffer | null {
  if (sealed.length < tagBytes) return null
  const tagStart = sealed.length - tagBytes
  const decipher = createDecipheriv(algorithm, key, checkedNonce(nonce), { authTagLength: tagBytes })
  decipher.setAAD(additionalData)
  decipher.setAuthTag(sealed.subarray(tagStart))
  const plaintext = decipher.update(sealed.subarray(0, tagStart))
  try {
    decipher.final()
    return plaintext
  } catch {
    return null
  }
}

// Node accepts nonces of any length and hashes those of other lengths: a weaker construction.
function checkedNonce(nonce: Uint8Array): Uint8Array {
  if (nonce.length !== nonceBytes) throw new RangeError(`a nonce has ${nonceBytes} bytes`)
  return nonce
}
