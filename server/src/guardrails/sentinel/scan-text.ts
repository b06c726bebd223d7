// Reads one slice of text in each way that it can be read: as it is, with look-alikes and invisible characters
// resolved, with altered letters restored, and decoded. A variant is only created if the text shows a sign of it.

import type { WorkBudget } from '../work-budget.ts'
import { decodePayloads, findEscapes, minPairs, minPayloadLength, unescapeText } from './decoders.ts'
import { type FoldOptions, foldText } from './fold-text.ts'
import { derive, readRule } from './match-rules.ts'
import { type KnownWords, mendTypos, minGluedLength, readWords } from './read-words.ts'
import { cutGlued, dropTags, joinLetters, readLeet, rotate13, undoOverride } from './rewritings.ts'
import { derivations } from './rules.ts'
import { maskOf } from './word-classes.ts'
import { zonesAround } from './zones.ts'

const compiledDerivations = derivations.map(([name, rule]) => readRule(name, rule))
const derivedMasks = derivations.map(([name]) => maskOf([name]))
const backwards = maskOf(['backwards'])
const cipher = maskOf(['cipher'])

const decodingDepth = 2
const minSingles = 4
const minMixed = 2
const minForeign = 3
/** A readable text has at least one common word in this many. */
const maxBetweenCommon = 8

const beyondAscii = /[^\0-\x7f]/
const invisible = /\p{Default_Ignorable_Code_Point}/u
const spaces = /\s/

/** Receives each variant of a text: its letters, and its words of the lexicon with their classes. */
export type ViewJudge = (view: Uint16Array, words: KnownWords, budget: WorkBudget) => void

interface Scan {
  budget: WorkBudget
  judge: ViewJudge
}

export function scanText(text: string, budget: WorkBudget, judge: ViewJudge): void {
  scanDecoded({ budget, judge }, text, decodingDepth, true)
}

/** How a text is read first: as it is, and if it has letters beyond ASCII, with look-alikes of others resolved. */
export function firstView(text: string): Uint16Array {
  return foldText(text, { foldsLookalikes: beyondAscii.test(text) })
}

/**
 * `rewrites`: also search for altered letters. Unescaped texts skip this, because they are mostly equal to a text that
 * was searched before.
 */
function scanDecoded(scan: Scan, text: string, depth: number, rewrites: boolean): void {
  const isForeign = beyondAscii.test(text)
  scan.budget.spend(text.length)
  const view = firstView(text)
  const words = scanView(scan, view)
  if (isForeign) {
    const plain = fold(scan, text)
    // Typographic quotes and accents look like no other letter.
    if (!isSame(plain, view)) scanView(scan, plain)
    if (invisible.test(text)) scanView(scan, fold(scan, text, { foldsLookalikes: true, showsInvisible: true }))
    if (text.includes('\u202e')) scanView(scan, fold(scan, undoOverride(text), { foldsLookalikes: true }))
  }
  if (depth === 0) return
  if (rewrites) scanRewritten(scan, view, words)
  scanUnescaped(scan, text, depth)
  const { longestWord, pairs } = words.traits
  const payloads = longestWord >= minPayloadLength || pairs >= minPairs ? decodePayloads(text, pairs) : null
  if (payloads !== null) scanDecoded(scan, payloads, depth - 1, true)
}

function isSame(left: Uint16Array, right: Uint16Array): boolean {
  if (left.length !== right.length) return false
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false
  return true
}

function fold({ budget }: Scan, text: string, options?: FoldOptions): Uint16Array {
  budget.spend(text.length)
  return foldText(text, options)
}

/** Escapes are decoded where they are, because code and data are full of single ones. */
function scanUnescaped(scan: Scan, text: string, depth: number): void {
  scan.budget.spend(text.length)
  for (const { start, end } of zonesAround(findEscapes(text), 1, text.length, at => spaces.test(text[at]!))) {
    const plain = unescapeText(text.slice(start, end))
    if (plain !== null) scanDecoded(scan, plain, depth - 1, false)
  }
}

function scanRewritten(scan: Scan, view: Uint16Array, words: KnownWords): void {
  const { traits } = words
  const isSpace = (at: number) => view[at] === 0x20 || view[at] === 0x0a
  const eachZone = (places: readonly number[], minSigns: number, rewrite: (zone: Uint16Array) => void): void => {
    const zones = zonesAround(places, minSigns, view.length, isSpace)
    for (const { start, end } of zones) rewrite(view.subarray(start, end))
  }
  eachZone(traits.singles, minSingles, zone => {
    const joined = joinLetters(zone)
    if (scanView(scan, joined).traits.longestWord >= minGluedLength) scanCut(scan, joined)
  })
  eachZone(traits.glued, 1, zone => scanCut(scan, zone))
  eachZone(traits.mixed, minMixed, zone => {
    scanView(scan, readLeet(zone, 'i'))
    scanView(scan, readLeet(zone, 'l'))
  })
  eachZone(traits.tags, 1, zone => scanView(scan, dropTags(zone)))
  const isUnreadable = traits.words >= minForeign && traits.common * maxBetweenCommon < traits.words
  if (isUnreadable || hasAny(words, backwards)) scanView(scan, view.toReversed())
  if (isUnreadable || hasAny(words, cipher)) scanView(scan, rotate13(view))
}

function scanCut(scan: Scan, view: Uint16Array): void {
  const cut = cutGlued(view)
  // Most long words are names in code, which are not cut.
  if (cut.length > view.length) scanView(scan, cut)
}

function hasAny(words: KnownWords, mask: { low: number; high: number }): boolean {
  return ((words.allLow & mask.low) | (words.allHigh & mask.high)) !== 0
}

function scanView({ budget, judge }: Scan, view: Uint16Array): KnownWords {
  budget.spend(view.length)
  const words = readWords(view)
  budget.spend(words.count)
  mendTypos(words)
  derive(words, compiledDerivations, derivedMasks)
  judge(view, words, budget)
  return words
}
