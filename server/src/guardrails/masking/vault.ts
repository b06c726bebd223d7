// Holds a request's masked values until its answer has been sent: encrypted with a key of its own, for at most five
// minutes. Must not be shared between requests.

import { randomBytes } from 'node:crypto'
import { encrypt, findPlaintext, keyBytes, nonceBytes } from '../../crypto/secrets/aes-gcm.ts'
import type { EntityName } from '../../domain/settings/settings.ts'

interface Page {
  nonce: Buffer
  ciphertext: Buffer
}

const lifeMs = 5 * 60_000
/** How many values are sealed at once: a text may hold thousands. */
const valuesPerPage = 32
const noContext = Buffer.alloc(0)

export class Vault {
  readonly #key = randomBytes(keyBytes)
  /** The index of each value, by type and hex. */
  readonly #places = new Map<EntityName, Map<string, number>>()
  readonly #pages: Page[] = []
  /** Values that are not sealed yet, because more will follow. */
  #open: string[] = []
  /** Sorted hexes of the types that were searched by prefix. */
  readonly #sorted = new Map<EntityName, string[]>()
  readonly #timer: NodeJS.Timeout

  constructor(life = lifeMs) {
    this.#timer = setTimeout(() => this.close(), life).unref()
  }

  /** Stores each token once. */
  keep(type: EntityName, hex: string, value: string): void {
    const places = this.#places.get(type) ?? new Map<string, number>()
    this.#places.set(type, places)
    places.set(hex, this.#pages.length * valuesPerPage + this.#open.length)
    this.#open.push(value)
    this.#sorted.delete(type)
    if (this.#open.length === valuesPerPage) this.#seal()
  }

  /** All values have been added: seals those that are still plain. */
  complete(): void {
    if (this.#open.length > 0) this.#seal()
  }

  /** Null for a token that this request did not mint. */
  find(type: EntityName, hex: string): string | null {
    const place = this.#places.get(type)?.get(hex)
    if (place === undefined) return null
    this.complete()
    const page = this.#pages[Math.floor(place / valuesPerPage)]
    const plaintext = page && findPlaintext(this.#key, page.nonce, page.ciphertext, noContext)
    if (!plaintext) return null
    const values = JSON.parse(plaintext.toString()) as string[]
    return values[place % valuesPerPage] ?? null
  }

  has(type: EntityName, hex: string): boolean {
    return this.#places.get(type)?.has(hex) === true
  }

  types(): EntityName[] {
    return [...this.#places.keys()]
  }

  /** Whether a token of this type begins with this hex prefix. */
  hasPrefix(type: EntityName, prefix: string): boolean {
    const hexes = this.#sorted.get(type) ?? [...(this.#places.get(type)?.keys() ?? [])].sort()
    this.#sorted.set(type, hexes)
    let low = 0
    let high = hexes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((hexes[middle] ?? '') < prefix) low = middle + 1
      else high = middle
    }
    return hexes[low]?.startsWith(prefix) === true
  }

  /** Keeps the values of a stream in progress until its end. */
  hold(): void {
    clearTimeout(this.#timer)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#key.fill(0)
    this.#places.clear()
    this.#sorted.clear()
    this.#pages.length = 0
    this.#open = []
  }

  #seal(): void {
    const nonce = Buffer.alloc(nonceBytes)
    // No other vault has this key, so a counter never repeats a nonce.
    nonce.writeUInt32BE(this.#pages.length)
    // As JSON, which also keeps lone surrogates.
    const plaintext = Buffer.from(JSON.stringify(this.#open))
    this.#pages.push({ nonce, ciphertext: encrypt(this.#key, nonce, plaintext, noContext) })
    this.#open = []
    plaintext.fill(0)
  }
}
