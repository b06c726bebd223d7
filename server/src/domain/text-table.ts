// A map for texts that are new each time and soon gone, such as the ids of requests: a Map first enters such a text in
// the runtime's table of all texts ever used as a key, which costs many times the look-up. Knows nothing of the texts.

interface Entry<Value> {
  readonly text: string
  value: Value
  /** Another text of the same digest. */
  next: Entry<Value> | null
}

/** Texts must not be of a client's choosing: whoever picks them can make all of them share a digest. */
export class TextTable<Value> {
  readonly #entries = new Map<number, Entry<Value>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(text: string): Value | undefined {
    return this.#find(digestOf(text), text)?.value
  }

  set(text: string, value: Value): void {
    const digest = digestOf(text)
    const known = this.#find(digest, text)
    if (known !== null) {
      known.value = value
      return
    }
    this.#entries.set(digest, { text, value, next: this.#entries.get(digest) ?? null })
    this.#size += 1
  }

  delete(text: string): void {
    const digest = digestOf(text)
    const first = this.#entries.get(digest)
    if (first === undefined) return
    if (first.text === text) {
      if (first.next === null) this.#entries.delete(digest)
      else this.#entries.set(digest, first.next)
      this.#size -= 1
      return
    }
    for (let entry = first; entry.next !== null; entry = entry.next) {
      if (entry.next.text !== text) continue
      entry.next = entry.next.next
      this.#size -= 1
      return
    }
  }

  *[Symbol.iterator](): Generator<[text: string, value: Value]> {
    for (const first of this.#entries.values()) {
      for (let entry: Entry<Value> | null = first; entry !== null; entry = entry.next) yield [entry.text, entry.value]
    }
  }

  #find(digest: number, text: string): Entry<Value> | null {
    let entry = this.#entries.get(digest) ?? null
    while (entry !== null && entry.text !== text) entry = entry.next
    return entry
  }
}

/** Of 30 bits, which the runtime keeps without an object. */
export function digestOf(text: string): number {
  let digest = 0
  for (let at = 0; at < text.length; at++) digest = (Math.imul(digest, 31) + text.charCodeAt(at)) | 0
  return (digest ^ (digest >>> 15)) & 0x3fffffff
}
