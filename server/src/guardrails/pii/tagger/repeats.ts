// Records how the same word is written elsewhere in a text: also in lower case, or always with a capital, like a name.

import { shape, type TaggerTokens } from './tokens.ts'

export interface Repeats {
  keys: Int32Array
  /** By slot, as in `way`. */
  ways: Uint8Array
  /** By slot, whether the word was found to be a name. */
  names: Uint8Array
  mask: number
  /** By token. */
  slots: Int32Array
  /** The number of slots read so far. */
  lookups: number
}

const way = { lower: 1, capital: 2, capitalAgain: 4 } as const
/** Words with the same slot use the next free ones; after this many they share the last. */
const maxSearchLength = 16

export function createRepeats(capacity: number): Repeats {
  let size = 64
  while (size < capacity * 2) size *= 2
  return {
    keys: new Int32Array(size),
    ways: new Uint8Array(size),
    names: new Uint8Array(size),
    mask: size - 1,
    slots: new Int32Array(capacity),
    lookups: 0,
  }
}

/** Writes into `out` how each token's word is written in the text. */
export function readRepeats(tokens: TaggerTokens, seen: Repeats, out: Uint8Array): void {
  let mask = 63
  while (mask + 1 < tokens.count * 2) mask = mask * 2 + 1
  seen.mask = mask
  seen.keys.fill(0, 0, mask + 1)
  seen.ways.fill(0, 0, mask + 1)
  seen.names.fill(0, 0, mask + 1)
  for (let at = 0; at < tokens.count; at++) {
    const slot = slotOf(seen, tokens.hash[at]!)
    seen.slots[at] = slot
    seen.keys[slot] = tokens.hash[at]!
    const before = seen.ways[slot]!
    const now = wayOf(tokens.shape[at]!)
    seen.ways[slot] = before | now | (now === way.capital && (before & way.capital) !== 0 ? way.capitalAgain : 0)
  }
  for (let at = 0; at < tokens.count; at++) {
    out[at] = wayOf(tokens.shape[at]!) === 0 ? 0 : seen.ways[seen.slots[at]!]!
  }
}

function slotOf(seen: Repeats, key: number): number {
  let at = (Math.imul(key, 0x9e3779b1) >>> 8) & seen.mask
  for (let tries = 0; tries < maxSearchLength && seen.keys[at] !== 0 && seen.keys[at] !== key; tries++) {
    at = (at + 1) & seen.mask
    seen.lookups++
  }
  return at
}

function wayOf(look: number): number {
  if (look === shape.lower) return way.lower
  return look === shape.capitalised || look === shape.mixedCapital || look === shape.allCaps ? way.capital : 0
}
