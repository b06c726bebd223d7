// Reads a folded text into hashed n-grams: of words, of their first letters, of the signs between them, of the
// lexicon's classes, and of the grammar's rules that hold. Training and scanning share this reading. Change
// `featureVersion` if the file of the weights would have another meaning.

import { unitKind, unitKinds } from '../code-units.ts'
import type { RuleMatch } from '../find-matches.ts'
import { patternFamilies } from '../pattern-families.ts'
import type { KnownWords } from '../read-words.ts'

export const featureVersion = 5
export const bucketBits = 18

export interface NgramReading {
  /** How many tokens the text has: words, and single letters of scripts without spaces. */
  count: number
  /** Where each token begins in the view. */
  starts: Int32Array
  /** The buckets of all n-grams. Those of token `at` end, exclusively, at `ends[at + 1]` and begin at `ends[at]`. */
  buckets: Int32Array
  ends: Int32Array
}

interface Tokens extends NgramReading {
  words: Int32Array
  stems: Int32Array
  /** The signs before each token; 0 if there are only spaces, or the same signs as before the last token. */
  gaps: Int32Array
}

const stemLength = 5
const maxWordLength = 24
const maxGapSigns = 3
/** How many known words back, and at most how many places back, a pair of classes may begin. */
const maxPairWords = 5
const maxPairPlaces = 24
const maxBitsPerWord = 4
const maxClassNgrams = maxBitsPerWord * (1 + maxPairWords * maxBitsPerWord) + 1
const maxWordNgrams = 6
const ngramsPerMatch = 2

/** One for each kind of n-gram, so that two kinds of the same words differ. */
const kinds = {
  word: 0x1b873593,
  stem: 0x2c1b3c6d,
  pair: 0x297a2d39,
  gapBefore: 0x1f83d9ab,
  gapAfter: 0x5be0cd19,
  gaps: 0x428a2f98,
  class: 0x71374491,
  classPair: 0x35ab1e11,
  classRun: 0x59f111f1,
  rule: 0x6a09e667,
  family: 0x3c6ef372,
} as const
const tokenOf = { start: 0x0bad5eed, number: 0x0ddba11, long: 0x10ad } as const

const minCapacity = 1024
let tokens = createTokens(minCapacity)

function createTokens(capacity: number): Tokens {
  return {
    count: 0,
    starts: new Int32Array(capacity),
    buckets: new Int32Array(capacity * (maxWordNgrams + 8)),
    ends: new Int32Array(capacity + 1),
    words: new Int32Array(capacity),
    stems: new Int32Array(capacity),
    gaps: new Int32Array(capacity + 1),
  }
}

/** The result is valid until the next call, because all texts share its memory. */
export function readNgrams(view: Uint16Array, words: KnownWords, matches: readonly RuleMatch[]): NgramReading {
  // Each token has at least one unit, and a gap or another letter follows.
  if (view.length > tokens.starts.length) tokens = createTokens(Math.max(view.length, tokens.starts.length * 2))
  readTokens(view)
  writeNgrams(words, matches)
  return tokens
}

function readTokens(view: Uint16Array): void {
  const { starts, words, stems, gaps } = tokens
  let count = 0
  let gap = 0
  let lastGap = 0
  let signs = 0
  for (let at = 0; at < view.length; ) {
    const code = view[at]!
    const kind = unitKinds[code]
    if (kind !== unitKind.word && kind !== unitKind.unspaced) {
      if (code !== 0x20 && signs < maxGapSigns && code !== view[at - 1]) {
        gap = Math.imul(gap ^ code, 0x01000193) + 1
        signs++
      }
      at++
      continue
    }
    // The same sign between all words is a disguise or a list: it says nothing about each of them.
    gaps[count] = gap === lastGap ? 0 : gap
    lastGap = gap
    starts[count] = at
    if (kind === unitKind.unspaced) {
      words[count] = Math.imul(code ^ 0x811c9dc5, 0x01000193)
      stems[count] = words[count]!
      at++
    } else at = readWord(view, at, count)
    count++
    gap = 0
    signs = 0
  }
  gaps[count] = gap
  tokens.count = count
}

function readWord(view: Uint16Array, start: number, index: number): number {
  let hash = 0x811c9dc5 | 0
  let stem = 0
  let letters = 0
  let at = start
  for (; at < view.length && unitKinds[view[at]!] === unitKind.word; at++) {
    const code = view[at]!
    if (code < 0x30 || code > 0x39) letters++
    hash = Math.imul(hash ^ code, 0x01000193)
    if (at - start === stemLength - 1) stem = hash
  }
  const length = at - start
  if (letters === 0) hash = tokenOf.number
  else if (length > maxWordLength) hash = tokenOf.long
  tokens.words[index] = hash
  tokens.stems[index] = letters === 0 || length <= stemLength || length > maxWordLength ? hash : stem
  return at
}

function writeNgrams(known: KnownWords, matches: readonly RuleMatch[]): void {
  const { count, starts, ends } = tokens
  let written = 0
  let nextKnown = 0
  let nextMatch = 0
  ends[0] = 0
  for (let at = 0; at < count; at++) {
    growBuckets(written + maxWordNgrams)
    written = writeWordNgrams(at, written)
    for (; nextKnown < known.count && known.starts[nextKnown]! <= starts[at]!; nextKnown++) {
      growBuckets(written + maxClassNgrams)
      written = writeClassNgrams(known, nextKnown, written)
      for (; nextMatch < matches.length && matches[nextMatch]!.word === nextKnown; nextMatch++) {
        growBuckets(written + ngramsPerMatch)
        written = writeRuleNgrams(matches[nextMatch]!, written)
      }
    }
    ends[at + 1] = written
  }
}

/** Makes room for at least `length` buckets. */
function growBuckets(length: number): void {
  if (length <= tokens.buckets.length) return
  const larger = new Int32Array(tokens.buckets.length * 2)
  larger.set(tokens.buckets)
  tokens.buckets = larger
}

function writeWordNgrams(at: number, from: number): number {
  const { words, stems, gaps, buckets } = tokens
  let to = from
  const word = words[at]!
  const stem = stems[at]!
  const before = at > 0 ? stems[at - 1]! : tokenOf.start
  buckets[to++] = bucketOf(word ^ kinds.word)
  if (stem !== word) buckets[to++] = bucketOf(stem ^ kinds.stem)
  buckets[to++] = bucketOf(join(before, stem) ^ kinds.pair)
  const gap = gaps[at]!
  if (gap !== 0) {
    buckets[to++] = bucketOf(join(gap, stem) ^ kinds.gapBefore)
    buckets[to++] = bucketOf(gap ^ kinds.gaps)
  }
  const after = gaps[at + 1]!
  if (after !== 0) buckets[to++] = bucketOf(join(stem, after) ^ kinds.gapAfter)
  return to
}

const bits = new Int32Array(maxBitsPerWord)

/** Single classes of a known word, pairs with those of the words before it, and the run of three words' classes. */
function writeClassNgrams(known: KnownWords, index: number, from: number): number {
  const { buckets } = tokens
  const { low, high, places } = known
  if (low[index] === 0 && high[index] === 0) return from
  let to = from
  const own = readBits(low[index]!, high[index]!, bits)
  for (let bit = 0; bit < own; bit++) buckets[to++] = bucketOf(Math.imul(bits[bit]!, 0x9e3779b1) ^ kinds.class)
  const first = Math.max(0, index - maxPairWords)
  for (let other = index - 1; other >= first; other--) {
    if (places[index]! - places[other]! > maxPairPlaces) break
    to = writeClassPairs(known, other, own, to)
  }
  if (index > 1) {
    const run = join(join(maskHash(known, index - 2), maskHash(known, index - 1)), maskHash(known, index))
    buckets[to++] = bucketOf(run ^ kinds.classRun)
  }
  return to
}

function writeRuleNgrams({ rule, family, vague, maxVague }: RuleMatch, from: number): number {
  const { buckets } = tokens
  const excess = vague <= maxVague ? Math.min(vague, 1) : 2
  buckets[from] = bucketOf(Math.imul(rule * 4 + excess, 0x9e3779b1) ^ kinds.rule)
  buckets[from + 1] = bucketOf(Math.imul(patternFamilies.indexOf(family) * 4 + excess, 0x9e3779b1) ^ kinds.family)
  return from + ngramsPerMatch
}

function writeClassPairs(known: KnownWords, other: number, own: number, from: number): number {
  const { buckets } = tokens
  let to = from
  let low = known.low[other]!
  let high = known.high[other]!
  for (let taken = 0; taken < maxBitsPerWord && (low !== 0 || high !== 0); taken++) {
    let left: number
    if (low !== 0) {
      left = 31 - Math.clz32(low & -low)
      low &= low - 1
    } else {
      left = 63 - Math.clz32(high & -high)
      high &= high - 1
    }
    for (let bit = 0; bit < own; bit++) {
      buckets[to++] = bucketOf(Math.imul((left << 7) + bits[bit]!, 0x9e3779b1) ^ kinds.classPair)
    }
  }
  return to
}

/** Writes the numbers of the classes, at most as many as `into` has room for, and returns how many. */
function readBits(lowMask: number, highMask: number, into: Int32Array): number {
  let count = 0
  for (let low = lowMask; low !== 0 && count < into.length; low &= low - 1) into[count++] = 31 - Math.clz32(low & -low)
  for (let high = highMask; high !== 0 && count < into.length; high &= high - 1)
    into[count++] = 63 - Math.clz32(high & -high)
  return count
}

function maskHash({ low, high }: KnownWords, index: number): number {
  return join(low[index]!, high[index]!)
}

function join(left: number, right: number): number {
  return Math.imul(Math.imul(left, 0x2545f491) ^ (left >>> 13) ^ right, 0x01000193)
}

function bucketOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> (32 - bucketBits)
}
