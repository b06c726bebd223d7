// Turns each token into the row numbers of its weights: hashes of the token and its surroundings. The trainer and the
// tagger share this file; a change here needs new weights.

import { known } from './lexicon.ts'
import type { TaggerReading } from './reading.ts'
import { shape } from './tokens.ts'

/** Increased with every change of a feature's meaning, so that weights of another version are rejected. */
export const featureVersion = 3
export const featureCount = 40
/**
 * The first features identify the word itself; training drops them at random, so that the others also learn without
 * them.
 */
export const wordFeatures = 12

/** Writes the row numbers of token `at` into `rows`, starting at `to`. */
export function readFeatures(reading: TaggerReading, at: number, mask: number, rows: Int32Array, to: number): void {
  const { tokens, bits, inPhrase, around, address, repeats } = reading
  const { hash, gap } = tokens
  const look = tokens.shape
  const [h0, h1, h2] = [hash[at]!, wordAt(reading, at - 1), wordAt(reading, at - 2)]
  const [n1, n2] = [wordAt(reading, at + 1), wordAt(reading, at + 2)]
  const [s0, s1, n1s] = [look[at]!, at > 0 ? look[at - 1]! : 31, at + 1 < tokens.count ? look[at + 1]! : 31]
  const [g0, g1, g2] = [bits[at]!, at > 0 ? bits[at - 1]! : 0, at > 1 ? bits[at - 2]! : 0]
  const n1g = at + 1 < tokens.count ? bits[at + 1]! : 0
  const line = around.line[at]!
  const how = line & 3
  const who = g0 & (known.firstName | known.surname | known.place | known.region | known.common | known.word)
  const seen = (who << 5) | s0
  let f = to
  rows[f++] = row(1, h0, 0, mask)
  rows[f++] = row(2, h0, s0, mask)
  rows[f++] = row(3, h1, seen, mask)
  rows[f++] = row(4, n1, seen, mask)
  rows[f++] = row(5, h1, h0, mask)
  rows[f++] = row(6, h0, n1, mask)
  rows[f++] = row(7, h2, h1, mask)
  rows[f++] = row(8, n1, n2, mask)
  rows[f++] = row(9, tokens.prefix[at]!, s0, mask)
  rows[f++] = row(10, tokens.suffix3[at]!, s0, mask)
  rows[f++] = row(11, tokens.suffix2[at]!, g0, mask)
  rows[f++] = row(12, h1, n1, mask)
  rows[f++] = row(13, h1, 0, mask)
  rows[f++] = row(14, n1, 0, mask)
  rows[f++] = row(15, h2, s0, mask)
  rows[f++] = row(16, n2, s0, mask)
  rows[f++] = row(17, s0, how, mask)
  rows[f++] = row(18, (s1 << 10) | (s0 << 5) | n1s, how, mask)
  rows[f++] = row(19, g0, s0, mask)
  rows[f++] = row(20, g0, (s0 << 4) | line, mask)
  rows[f++] = row(21, (g1 << 16) | g0, s0, mask)
  rows[f++] = row(22, (g0 << 16) | n1g, s0, mask)
  rows[f++] = row(23, (g1 << 16) | n1g, seen, mask)
  rows[f++] = row(24, (g2 << 16) | g1, seen, mask)
  rows[f++] = row(25, (around.before[at]! << 8) | around.after[at]!, s0, mask)
  rows[f++] = row(26, around.run[at]!, s0, mask)
  rows[f++] = row(27, around.run[at]!, seen, mask)
  rows[f++] = row(28, line, seen, mask)
  rows[f++] = row(29, around.key[at]!, s0, mask)
  rows[f++] = row(30, around.key[at]!, who, mask)
  rows[f++] = row(31, (gap[at]! << 3) | (at + 1 < tokens.count ? gap[at + 1]! : 7), seen, mask)
  rows[f++] = row(32, around.place[at]!, seen, mask)
  rows[f++] = row(33, inPhrase[at]!, s0, mask)
  rows[f++] = row(34, inPhrase[at]!, seen ^ (h1 << 10), mask)
  rows[f++] = row(35, address[at]!, s0, mask)
  rows[f++] = row(36, address[at]!, seen, mask)
  rows[f++] = row(37, repeats[at]!, seen, mask)
  rows[f++] = row(38, at > 2 ? hash[at - 3]! : 0, seen, mask)
  rows[f++] = row(39, (s1 << 5) | s0, (n1s << 8) | (around.before[at]! === 0 ? 1 : 0), mask)
  rows[f++] = row(40, h1 ^ shape.number, (n1s << 5) | s0, mask)
}

function wordAt(reading: TaggerReading, at: number): number {
  return at >= 0 && at < reading.tokens.count ? reading.tokens.hash[at]! : 0
}

function row(feature: number, a: number, b: number, mask: number): number {
  let hash = Math.imul(a ^ Math.imul(feature, 0x9e3779b1), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13) ^ Math.imul(b + feature, 0xc2b2ae35), 0x27d4eb2f)
  hash ^= hash >>> 15
  return (hash & mask) << 3
}
