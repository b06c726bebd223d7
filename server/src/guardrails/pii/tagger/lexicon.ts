// Looks up what a word or phrase is: a first name, a town, a title. One table from 32-bit hashes to bits; an unknown
// word is mistaken for a known one about once in thirty thousand.

import { hashStart, hashStep, type TaggerTokens } from './tokens.ts'

export const known = {
  firstName: 1,
  surname: 2,
  place: 4,
  region: 8,
  title: 16,
  common: 32,
  street: 64,
  unit: 128,
  product: 256,
  calendar: 512,
  kin: 1024,
  organisation: 2048,
  state: 4096,
  word: 8192,
  nameCue: 16_384,
  /** The first word of a known phrase. */
  opensPhrase: 32_768,
} as const

/** The number of words of the longest phrase. */
const maxPhraseLength = 5

export interface Lexicon {
  keys: Int32Array
  bits: Uint16Array
  mask: number
  /** The number of slots read so far. */
  lookups: number
}

/** Unused keys are 0, which no word has. */
export function createLexicon(keys: Int32Array, bits: Uint16Array): Lexicon {
  let size = 1
  while (size < keys.length * 2) size *= 2
  const lexicon = { keys: new Int32Array(size), bits: new Uint16Array(size), mask: size - 1, lookups: 0 }
  for (let from = 0; from < keys.length; from++) {
    let at = slotOf(keys[from]!, lexicon.mask)
    while (lexicon.keys[at] !== 0) at = (at + 1) & lexicon.mask
    lexicon.keys[at] = keys[from]!
    lexicon.bits[at] = bits[from]!
  }
  return lexicon
}

function slotOf(key: number, mask: number): number {
  return (Math.imul(key, 0x9e3779b1) >>> 8) & mask
}

function lookUp(lexicon: Lexicon, key: number): number {
  let at = slotOf(key, lexicon.mask)
  lexicon.lookups++
  while (lexicon.keys[at] !== 0) {
    lexicon.lookups++
    if (lexicon.keys[at] === key) return lexicon.bits[at]!
    at = (at + 1) & lexicon.mask
  }
  return 0
}

/** The key of a phrase combines its words' hashes in order; a single word is its own key. */
export function phraseKey(words: Iterable<number>): number {
  let key = hashStart
  for (const word of words) key = hashStep(key, word ^ (word >>> 15))
  return key
}

/** Writes the bits of each token into `bits`, and those of the phrases it belongs to into `inPhrase`. */
export function readKnown(lexicon: Lexicon, tokens: TaggerTokens, bits: Uint16Array, inPhrase: Uint8Array): void {
  inPhrase.fill(0, 0, tokens.count)
  for (let at = 0; at < tokens.count; at++) bits[at] = lookUp(lexicon, tokens.hash[at]!)
  for (let at = 0; at < tokens.count; at++) {
    if ((bits[at]! & known.opensPhrase) !== 0) markPhrase(lexicon, tokens, at, inPhrase)
  }
}

/** Bit 1 at the beginning of a phrase, 2 inside one, 4 for places and regions, 8 for people. */
export const phrase = { begins: 1, inside: 2, place: 4, person: 8 } as const

function markPhrase(lexicon: Lexicon, tokens: TaggerTokens, first: number, inPhrase: Uint8Array): void {
  let key = hashStep(hashStart, tokens.hash[first]! ^ (tokens.hash[first]! >>> 15))
  let [longest, found] = [0, 0]
  const end = Math.min(tokens.count, first + maxPhraseLength)
  for (let at = first + 1; at < end; at++) {
    if (tokens.gap[at]! > 1) break
    key = hashStep(key, tokens.hash[at]! ^ (tokens.hash[at]! >>> 15))
    const bits = lookUp(lexicon, key)
    if (bits !== 0) [longest, found] = [at, bits]
  }
  if (longest === 0 || (inPhrase[first]! & phrase.inside) !== 0) return
  const isPlace = (found & (known.place | known.region)) !== 0
  const kind = (isPlace ? phrase.place : 0) | ((found & (known.firstName | known.surname)) !== 0 ? phrase.person : 0)
  for (let at = first; at <= longest; at++) inPhrase[at] = kind | (at === first ? phrase.begins : phrase.inside)
}
