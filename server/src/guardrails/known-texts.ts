// What was found out about texts, for when they come again: a conversation is sent whole with each turn. Bounded; what was
// asked for longest ago gives way. Holds no text and nothing of one: texts are known by a hash under a key of this process.

import { hash, randomBytes } from 'node:crypto'

export interface KnownTexts<Value> {
  /** `revision`: by what rules it was found out. */
  find(text: string, revision: string): Value | undefined
  keep(text: string, revision: string, value: Value): void
}

interface Entry<Value> {
  value: Value
  weight: number
}

/** Of a shorter text it costs less to look again. */
const minLength = 16

/** `weigh`: how much of the bound a value takes up, besides the one for itself. */
export function createKnownTexts<Value>(maxWeight: number, weigh: (value: Value) => number): KnownTexts<Value> {
  const secret = randomBytes(32).toString('hex')
  const entries = new Map<string, Entry<Value>>()
  let total = 0
  // The name goes to no one, so a hash behind a secret does what an HMAC does, in a third of its time.
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
