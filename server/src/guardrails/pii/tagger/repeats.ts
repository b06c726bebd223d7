// How often the same word stands in a text, and whether it also stands there in lower case: a name is written with a
// capital everywhere. Knows no names.

import { shape, type Tokens } from './tokens.ts'

export interface Repeats {
  keys: Int32Array
  /** Bit 1: seen in lower case; 2: seen with a capital; 4: seen so twice or more. */
  ways: Uint8Array
  mask: number
}

export function createRepeats(capacity: number): Repeats {
  let size = 64
  while (size < capacity * 2) size *= 2
  return { keys: new Int32Array(size), ways: new Uint8Array(size), mask: size - 1 }
}

export function readRepeats(tokens: Tokens, seen: Repeats, out: Uint8Array): void {
  let mask = 63
  while (mask + 1 < tokens.count * 2) mask = mask * 2 + 1
  seen.mask = mask
  seen.keys.fill(0, 0, mask + 1)
  seen.ways.fill(0, 0, mask + 1)
  for (let at = 0; at < tokens.count; at++) {
    const way = wayOf(tokens.shape[at]!)
    if (way === 0) continue
    const slot = slotOf(seen, tokens.hash[at]!)
    seen.keys[slot] = tokens.hash[at]!
    const before = seen.ways[slot]!
    seen.ways[slot] = before | way | (way === 2 && (before & 2) !== 0 ? 4 : 0)
  }
  for (let at = 0; at < tokens.count; at++) {
    out[at] = wayOf(tokens.shape[at]!) === 0 ? 0 : seen.ways[slotOf(seen, tokens.hash[at]!)]!
  }
}

function slotOf(seen: Repeats, key: number): number {
  let at = (Math.imul(key, 0x9e3779b1) >>> 8) & seen.mask
  while (seen.keys[at] !== 0 && seen.keys[at] !== key) at = (at + 1) & seen.mask
  return at
}

function wayOf(look: number): number {
  if (look === shape.lower) return 1
  return look === shape.capitalised || look === shape.mixedCapital || look === shape.allCaps ? 2 : 0
}
