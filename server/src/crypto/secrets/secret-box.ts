// Envelope encryption of stored secrets: a data key for each record, wrapped by a key-encryption key that has an id. An
// envelope opens only for the purpose, tenant and row it was sealed for.
import { createHash, randomBytes } from 'node:crypto'
import { encrypt, findPlaintext, keyBytes, nonceBytes } from './aes-gcm.ts'

/** Where a secret belongs. A value that must not be edited under a stored secret (a base URL) goes into `bound`. */
export interface SecretContext {
  purpose: string
  tenantId: string
  rowId: string
  bound?: readonly string[]
}

export interface SecretBox {
  /**
   * The prefixes of our envelopes, one for each key, the current key first; a query finds envelopes of older keys by
   * them.
   */
  readonly prefixes: readonly [string, ...string[]]
  seal(plaintext: string, context: SecretContext): string
  open(envelope: string, context: SecretContext): string
  /** Wraps the data key again with the current key; the ciphertext stays unchanged. */
  rewrap(envelope: string, context: SecretContext): string
}

/** An envelope that cannot be opened: malformed, under an unknown key, or sealed for another purpose, tenant or row. */
export class SealedSecretError extends Error {
  readonly reason: 'malformed' | 'unknown_key' | 'not_authentic'

  constructor(reason: SealedSecretError['reason']) {
    super(`sealed secret cannot be opened: ${reason}`)
    this.name = 'SealedSecretError'
    this.reason = reason
  }
}

interface Envelope {
  keyId: string
  wrappedKey: Buffer
  sealed: Buffer
}

const version = 'v1'

export function createSecretBox(keys: { current: Uint8Array; previous: readonly Uint8Array[] }): SecretBox {
  const currentId = keyIdOf(keys.current)
  const keysById = new Map([...keys.previous, keys.current].map(key => [keyIdOf(key), key]))

  function unwrap(envelope: Envelope, context: SecretContext): Buffer {
    const key = keysById.get(envelope.keyId)
    if (!key) throw new SealedSecretError('unknown_key')
    return decryptWith(key, envelope.wrappedKey, additionalData(context, 'key', envelope.keyId))
  }

  function wrap(dataKey: Uint8Array, context: SecretContext): Buffer {
    return encryptWith(keys.current, dataKey, additionalData(context, 'key', currentId))
  }

  return {
    prefixes: [markOf(currentId), ...[...keysById.keys()].filter(id => id !== currentId).map(markOf)],
    seal(plaintext, context) {
      const dataKey = randomBytes(keyBytes)
      const sealed = encryptWith(dataKey, Buffer.from(plaintext), additionalData(context, 'data'))
      return render({ keyId: currentId, wrappedKey: wrap(dataKey, context), sealed })
    },
    open(text, context) {
      const envelope = parse(text)
      return decryptWith(unwrap(envelope, context), envelope.sealed, additionalData(context, 'data')).toString()
    },
    rewrap(text, context) {
      const envelope = parse(text)
      const wrappedKey = wrap(unwrap(envelope, context), context)
      return render({ keyId: currentId, wrappedKey, sealed: envelope.sealed })
    },
  }
}

function keyIdOf(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8)
}

function markOf(keyId: string): string {
  return `${version}.${keyId}.`
}

// A JSON array delimits its elements: no two contexts yield the same bytes.
function additionalData(context: SecretContext, ...layer: string[]): Buffer {
  const { purpose, tenantId, rowId, bound = [] } = context
  return Buffer.from(JSON.stringify([version, ...layer, [purpose, tenantId, rowId, ...bound]]))
}

function encryptWith(key: Uint8Array, plaintext: Uint8Array, additional: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes)
  return Buffer.concat([nonce, encrypt(key, nonce, plaintext, additional)])
}

function decryptWith(key: Uint8Array, nonceAndSealed: Buffer, additional: Uint8Array): Buffer {
  if (nonceAndSealed.length < nonceBytes) throw new SealedSecretError('malformed')
  const nonce = nonceAndSealed.subarray(0, nonceBytes)
  const plaintext = findPlaintext(key, nonce, nonceAndSealed.subarray(nonceBytes), additional)
  if (!plaintext) throw new SealedSecretError('not_authentic')
  return plaintext
}

function render(envelope: Envelope): string {
  const { keyId, wrappedKey, sealed } = envelope
  return [version, keyId, wrappedKey.toString('base64url'), sealed.toString('base64url')].join('.')
}

function parse(text: string): Envelope {
  const [textVersion, keyId, wrappedKey, sealed, ...rest] = text.split('.')
  if (textVersion !== version || !keyId || !wrappedKey || !sealed || rest.length > 0) {
    throw new SealedSecretError('malformed')
  }
  return { keyId, wrappedKey: decode(wrappedKey), sealed: decode(sealed) }
}

// Buffer skips invalid characters, so two different texts could otherwise be the same envelope.
function decode(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new SealedSecretError('malformed')
  return bytes
}
