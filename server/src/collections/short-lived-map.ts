// A map for texts that are new each time and soon deleted, such as request ids. A Map would first enter each text in
// the runtime's table of all texts ever used as a key, which costs many times the look-up.

interface Entry<Value> {
  readonly text: string
  value: Value
  /** The next text with the same digest. */
  next: Entry<Value> | null
}

/** A client must not choose the texts: it could give all of them the same digest. */
export class ShortLivedMap<Value> {
  readonly #entries = new Map<number, Entry<Value>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(text: string): Value | undefined {
    return findIn(this.#entries.get(digestOf(text)) ?? null, text)?.value
  }

  set(text: string, value: Value): void {
    const digest = digestOf(text)
    const first = this.#entries.get(digest) ?? null
    const known = findIn(first, text)
    if (known !== null) known.value = value
    else this.#insert(digest, text, value, first)
  }

  /** Returns the existing value, and keeps it, if the text is already there. */
  add(text: string, value: Value): Value | undefined {
    const digest = digestOf(text)
    const first = this.#entries.get(digest) ?? null
    const known = findIn(first, text)
    if (known === null) this.#insert(digest, text, value, first)
    return known?.value
  }

  /** Returns the deleted value. */
  delete(text: string): Value | undefined {
    const digest = digestOf(text)
    const first = this.#entries.get(digest) ?? null
    const known = findIn(first, text)
    if (first === null || known === null) return undefined
    this.#size -= 1
    if (known !== first) {
      let before = first
      while (before.next !== known) before = before.next!
      before.next = known.next
    } else if (first.next === null) this.#entries.delete(digest)
    else this.#entries.set(digest, first.next)
    return known.value
  }

  *[Symbol.iterator](): Generator<[text: string, value: Value]> {
    for (const first of this.#entries.values()) {
      for (let entry: Entry<Value> | null = first; entry !== null; entry = entry.next) yield [entry.text, entry.value]
    }
  }

  #insert(digest: number, text: string, value: Value, next: Entry<Value> | null): void {
    this.#entries.set(digest, { text, value, next })
    this.#size += 1
  }
}

function findIn<Value>(first: Entry<Value> | null, text: string): Entry<Value> | null {
  let entry = first
  while (entry !== null && entry.text !== text) entry = entry.next
  return entry
}

/** A hash of 30 bits, which the runtime stores without an object. */
export function digestOf(text: string): number {
  let digest = 0
  for (let at = 0; at < text.length; at++) digest = (Math.imul(digest, 31) + text.charCodeAt(at)) | 0
  return (digest ^ (digest >>> 15)) & 0x3fffffff
}
