// Searches one slice of text for the five families, in each way that it can be read: as it is, with look-alikes and
// invisible characters resolved, with altered letters restored, and decoded. A variant is only created if the text
// shows a sign of it.

import type { WorkBudget } from '../work-budget.ts'
import { decodePayloads, minPairs, minPayloadLength, unescapeText } from './decoders.ts'
import { type FoldOptions, foldText } from './fold-text.ts'
import { derive, findMatch, readRule } from './match-rules.ts'
import type { PatternFamily } from './pattern-families.ts'
import { type KnownWords, mendTypos, readWords } from './read-words.ts'
import { cutGlued, dropTags, joinLetters, readLeet, rotate13, undoOverride } from './rewritings.ts'
import { derivations, familyRules } from './rules.ts'
import { maskOf } from './word-classes.ts'

const compiledDerivations = derivations.map(([name, rule]) => readRule(name, rule))
const derivedMasks = derivations.map(([name]) => maskOf([name]))
const compiledFamilies = familyRules.map(([family, rule]) => readRule(family, rule))
const backwards = maskOf(['backwards'])
const cipher = maskOf(['cipher'])

const decodingDepth = 2
const minSingles = 6
const minMixed = 2
const maxUncutLength = 18
const minForeign = 3
/** A readable text has at least one common word in this many. */
const maxBetweenCommon = 8

const beyondAscii = /[^\0-\x7f]/
const invisible = /\p{Default_Ignorable_Code_Point}/u
const tagInWord = /[a-z]<|>[a-z]/i
const leetSign = /[a-z][@$!|+][a-z]/gi

interface Scan {
  budget: WorkBudget
  found: Set<PatternFamily>
}

/** Adds to `found` the families that match in the slice. */
export function scanText(text: string, budget: WorkBudget, found: Set<PatternFamily>): void {
  scanDecoded({ budget, found }, text, decodingDepth, true)
}

/**
 * `rewrites`: also search for altered letters. Unescaped texts skip this, because they are mostly equal to a text that
 * was searched before.
 */
function scanDecoded(scan: Scan, text: string, depth: number, rewrites: boolean): void {
  const isForeign = beyondAscii.test(text)
  const view = fold(scan, text, { foldsLookalikes: isForeign })
  const words = scanView(scan, view)
  if (isForeign) {
    scanView(scan, fold(scan, text))
    if (invisible.test(text)) scanView(scan, fold(scan, text, { foldsLookalikes: true, showsInvisible: true }))
    if (text.includes('\u202e')) scanView(scan, fold(scan, undoOverride(text), { foldsLookalikes: true }))
  }
  if (depth === 0) return
  if (rewrites) scanRewritten(scan, text, view, words)
  scan.budget.spend(text.length)
  const plain = unescapeText(text)
  if (plain !== null) scanDecoded(scan, plain, depth - 1, false)
  const { longestWord, pairs } = words.traits
  const payloads = longestWord >= minPayloadLength || pairs >= minPairs ? decodePayloads(text, pairs) : null
  if (payloads !== null) scanDecoded(scan, payloads, depth - 1, true)
}

function fold({ budget }: Scan, text: string, options?: FoldOptions): Uint16Array {
  budget.spend(text.length)
  return foldText(text, options)
}

function scanRewritten(scan: Scan, text: string, view: Uint16Array, words: KnownWords): void {
  const { traits } = words
  if (traits.singles >= minSingles) {
    const joined = joinLetters(view)
    const joinedWords = scanView(scan, joined)
    if (joinedWords.traits.longestWord >= maxUncutLength) scanView(scan, cutGlued(joined))
  }
  if (traits.longestWord >= maxUncutLength) scanView(scan, cutGlued(view))
  if (traits.mixed + (text.match(leetSign)?.length ?? 0) >= minMixed) {
    scanView(scan, readLeet(view, 'i'))
    scanView(scan, readLeet(view, 'l'))
  }
  if (tagInWord.test(text)) scanView(scan, dropTags(view))
  const isUnreadable = traits.words >= minForeign && traits.common * maxBetweenCommon < traits.words
  if (isUnreadable || hasAny(words, backwards)) scanView(scan, view.toReversed())
  if (isUnreadable || hasAny(words, cipher)) scanView(scan, rotate13(view))
}

function hasAny(words: KnownWords, mask: { low: number; high: number }): boolean {
  return ((words.allLow & mask.low) | (words.allHigh & mask.high)) !== 0
}

function scanView({ budget, found }: Scan, view: Uint16Array): KnownWords {
  budget.spend(view.length)
  const words = readWords(view)
  budget.spend(words.count)
  judge(words, found)
  if (words.meant.length > 0) {
    mendTypos(words)
    judge(words, found)
  }
  return words
}

function judge(words: KnownWords, found: Set<PatternFamily>): void {
  derive(words, compiledDerivations, derivedMasks)
  for (const rule of compiledFamilies) {
    if (!found.has(rule.name) && findMatch(words, rule) !== -1) found.add(rule.name)
  }
}
