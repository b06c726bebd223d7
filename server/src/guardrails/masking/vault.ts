// Where a request's masked values lie until its answer has passed: as ciphertext under a key of its own, for five minutes,
// never longer than the request. Nothing of it is shared with any other request.

import { randomBytes } from 'node:crypto'
import { encrypt, findPlaintext, keyBytes, nonceBytes } from '../../crypto/secrets/aes-gcm.ts'
import type { EntityType } from '../../domain/settings/settings.ts'

interface Page {
  nonce: Buffer
  ciphertext: Buffer
}

const lifeMs = 5 * 60_000
/** Values that are sealed at once: a text may hold thousands. */
const valuesPerPage = 32
const noContext = Buffer.alloc(0)

export class Vault {
  readonly #key = randomBytes(keyBytes)
  /** Of each type, by hex: which of all values it is. */
  readonly #places = new Map<EntityType, Map<string, number>>()
  readonly #pages: Page[] = []
  /** Not sealed yet, because more are coming. */
  #open: string[] = []
  /** In order, for those that have been asked for a prefix. */
  readonly #sorted = new Map<EntityType, string[]>()
  readonly #timer: NodeJS.Timeout

  constructor(life = lifeMs) {
    this.#timer = setTimeout(() => this.close(), life).unref()
  }

  /** A token is kept once. */
  keep(type: EntityType, hex: string, value: string): void {
    const places = this.#places.get(type) ?? new Map<string, number>()
    this.#places.set(type, places)
    places.set(hex, this.#pages.length * valuesPerPage + this.#open.length)
    this.#open.push(value)
    this.#sorted.delete(type)
    if (this.#open.length === valuesPerPage) this.#seal()
  }

  /** All values are here: none of them stays as it is. */
  complete(): void {
    if (this.#open.length > 0) this.#seal()
  }

  /** Null for a token that this request did not mint. */
  find(type: EntityType, hex: string): string | null {
    const place = this.#places.get(type)?.get(hex)
    if (place === undefined) return null
    this.complete()
    const page = this.#pages[Math.floor(place / valuesPerPage)]
    const plaintext = page && findPlaintext(this.#key, page.nonce, page.ciphertext, noContext)
    if (!plaintext) return null
    const values = JSON.parse(plaintext.toString()) as string[]
    return values[place % valuesPerPage] ?? null
  }

  has(type: EntityType, hex: string): boolean {
    return this.#places.get(type)?.has(hex) === true
  }

  types(): EntityType[] {
    return [...this.#places.keys()]
  }

  /** Whether a token of this type begins with these of its hex characters. */
  hasPrefix(type: EntityType, prefix: string): boolean {
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

  /** An open stream is restored to its end. */
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
    // The key is this vault's alone, so counting never gives a nonce twice.
    nonce.writeUInt32BE(this.#pages.length)
    // As JSON, which keeps also what has no form in UTF-8.
    const plaintext = Buffer.from(JSON.stringify(this.#open))
    this.#pages.push({ nonce, ciphertext: encrypt(this.#key, nonce, plaintext, noContext) })
    this.#open = []
    plaintext.fill(0)
  }
}
