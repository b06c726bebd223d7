// Where a request's masked values lie until its answer has passed: as ciphertext under a key of its own, for five minutes,
// never longer than the request. Nothing of it is shared with any other request.

import { randomBytes } from 'node:crypto'
import { encrypt, findPlaintext, keyBytes, nonceBytes } from '../../crypto/aes-gcm.ts'
import type { EntityType } from '../../domain/settings.ts'

interface Sealed {
  nonce: Buffer
  ciphertext: Buffer
}

const lifeMs = 5 * 60_000

export class Vault {
  readonly #key = randomBytes(keyBytes)
  readonly #entries = new Map<string, Sealed>()
  readonly #hexes = new Map<EntityType, string[]>()
  readonly #timer: NodeJS.Timeout
  #areSorted = true

  constructor(life = lifeMs) {
    this.#timer = setTimeout(() => this.close(), life).unref()
  }

  /** A token is kept once. */
  keep(type: EntityType, hex: string, value: string): void {
    const name = nameOf(type, hex)
    const nonce = Buffer.alloc(nonceBytes)
    // The key is this vault's alone, so counting never gives a nonce twice.
    nonce.writeUInt32BE(this.#entries.size)
    const ciphertext = encrypt(this.#key, nonce, Buffer.from(value, 'utf16le'), Buffer.from(name))
    this.#entries.set(name, { nonce, ciphertext })
    const hexes = this.#hexes.get(type)
    if (hexes === undefined) this.#hexes.set(type, [hex])
    else hexes.push(hex)
    this.#areSorted = false
  }

  /** Null for a token that this request did not mint. */
  find(type: EntityType, hex: string): string | null {
    const name = nameOf(type, hex)
    const sealed = this.#entries.get(name)
    if (sealed === undefined) return null
    const plaintext = findPlaintext(this.#key, sealed.nonce, sealed.ciphertext, Buffer.from(name))
    return plaintext === null ? null : plaintext.toString('utf16le')
  }

  has(type: EntityType, hex: string): boolean {
    return this.#entries.has(nameOf(type, hex))
  }

  types(): EntityType[] {
    return [...this.#hexes.keys()]
  }

  /** Whether a token of this type begins with these of its hex characters. */
  hasPrefix(type: EntityType, prefix: string): boolean {
    if (!this.#areSorted) this.#sort()
    const hexes = this.#hexes.get(type) ?? []
    let low = 0
    let high = hexes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((hexes[middle] ?? '') < prefix) low = middle + 1
      else high = middle
    }
    return hexes[low]?.startsWith(prefix) === true
  }

  /** An open stream is restored to its end. */
  hold(): void {
    clearTimeout(this.#timer)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#key.fill(0)
    this.#entries.clear()
    this.#hexes.clear()
  }

  #sort(): void {
    for (const hexes of this.#hexes.values()) hexes.sort()
    this.#areSorted = true
  }
}

function nameOf(type: EntityType, hex: string): string {
  return `${type}_${hex}`
}
