// Caches scan results by text, since a client sends the whole conversation again with each turn. Bounded LRU. Must not
// hold any text: texts are identified by a hash with a key of this process.

import { hash, randomBytes } from 'node:crypto'

export interface KnownTexts<Value> {
  /** `revision` identifies the rules of the scan. */
  find(text: string, revision: string): Value | undefined
  keep(text: string, revision: string, value: Value): void
}

interface Entry<Value> {
  value: Value
  weight: number
}

/** A shorter text is cheaper to scan again. */
const usualMinLength = 16

/** `weigh` returns a value's share of the bound, in addition to one for the entry. */
export function createKnownTexts<Value>(
  maxWeight: number,
  weigh: (value: Value) => number,
  minLength = usualMinLength,
): KnownTexts<Value> {
  const secret = randomBytes(32).toString('hex')
  const entries = new Map<string, Entry<Value>>()
  let total = 0
  // The name stays in this process, so a hash with a secret prefix serves as well as an HMAC, in a third of its time.
  const nameOf = (text: string, revision: string): string =>
    hash('sha256', `${secret}${revision.length}:${revision}${text}`, 'base64')

  function drop(name: string): Entry<Value> | undefined {
    const entry = entries.get(name)
    if (entry === undefined) return undefined
    entries.delete(name)
    total -= entry.weight
    return entry
  }

  function put(name: string, entry: Entry<Value>): void {
    entries.set(name, entry)
    total += entry.weight
  }

  return {
    find(text, revision) {
      if (text.length < minLength) return undefined
      const name = nameOf(text, revision)
      const entry = drop(name)
      if (entry === undefined) return undefined
      put(name, entry)
      return entry.value
    },
    keep(text, revision, value) {
      if (text.length < minLength) return
      const name = nameOf(text, revision)
      drop(name)
      put(name, { value, weight: 1 + weigh(value) })
      for (const oldest of entries.keys()) {
        if (total <= maxWeight) return
        drop(oldest)
      }
    },
  }
}
