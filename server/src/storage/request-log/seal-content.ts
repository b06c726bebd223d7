// Compresses and encrypts the content of a request, with a key that is derived for its project and bound to its id.

import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { encrypt, findPlaintext, nonceBytes } from '../../crypto/secrets/aes-gcm.ts'
import { deriveKey } from '../../crypto/secrets/derive-key.ts'

export interface ContentKey {
  projectId: string
  requestId: string
}

interface ContentSeal {
  seal(key: ContentKey, text: string): Promise<Buffer>
  /** Null if it was sealed with a key that is not known any more, or for another request. */
  open(key: ContentKey, sealed: Uint8Array): Promise<string | null>
}

const compress = promisify(deflateRaw)
const decompress = promisify(inflateRaw)
const maxText = 64 * 1_048_576
const maxKnownKeys = 1_000

/** Seals with the first key, and opens with any of them. */
export function createContentSeal(keys: readonly [Uint8Array, ...Uint8Array[]]): ContentSeal {
  const currentKeyOf = createProjectKeys(keys[0])
  const keysOf = keys.map((key, index) => (index === 0 ? currentKeyOf : createProjectKeys(key)))
  return {
    async seal({ projectId, requestId }, text) {
      // In a thread of the runtime.
      const plaintext = await compress(text, { level: 1 })
      const nonce = randomBytes(nonceBytes)
      return Buffer.concat([nonce, encrypt(currentKeyOf(projectId), nonce, plaintext, Buffer.from(requestId))])
    },
    async open({ projectId, requestId }, sealed) {
      const nonce = sealed.subarray(0, nonceBytes)
      for (const keyOf of keysOf) {
        const plaintext = findPlaintext(keyOf(projectId), nonce, sealed.subarray(nonceBytes), Buffer.from(requestId))
        if (plaintext !== null) return (await decompress(plaintext, { maxOutputLength: maxText })).toString()
      }
      return null
    },
  }
}

function createProjectKeys(key: Uint8Array): (projectId: string) => Uint8Array {
  const known = new Map<string, Uint8Array>()
  return projectId => {
    const found = known.get(projectId)
    if (found !== undefined) return found
    const derived = deriveKey(key, ['request-content', projectId])
    if (known.size >= maxKnownKeys) known.clear()
    known.set(projectId, derived)
    return derived
  }
}
