// Reads a folded text once and lists the words that the lexicon knows, with their classes and places. A place counts
// words: two for each, one for a letter of a script without spaces, and the end of a sentence is far from the next.
// Knows no rule.

import { unitKind, unitKinds } from './code-units.ts'
import { findEntry, hashSeed, hashStep, type LexiconEntry, mayBeWord, standsAt } from './lexicon.ts'
import { shapeAround } from './marker-shapes.ts'
import { findMeantWord } from './typos.ts'
import { maskOf } from './word-classes.ts'

export interface KnownWords {
  count: number
  places: number[]
  starts: number[]
  low: number[]
  high: number[]
  /** All classes of the text together. */
  allLow: number
  allHigh: number
  traits: TextTraits
}

/** What hints at letters that were tampered with. */
export interface TextTraits {
  words: number
  /** Words of one letter. */
  singles: number
  /** Words with a digit before a letter. */
  mixed: number
  /** Words that are nearly one of the grammar's. */
  typos: number
  /** Letters of the longest word. */
  longest: number
}

const placesPerWord = 2
const sentenceGap = 10
const longestUnspaced = 12
const shortestStem = 3
/** A phrase is still one across so many spaces and marks. */
const widestGap = 4

export function readWords(view: Uint16Array, mendsTypos = false): KnownWords {
  const traits = { words: 0, singles: 0, mixed: 0, typos: 0, longest: 0 }
  const words: KnownWords = { count: 0, places: [], starts: [], low: [], high: [], allLow: 0, allHigh: 0, traits }
  const reader = { view, words, place: 0, mendsTypos }
  let at = 0
  while (at < view.length) {
    const kind = unitKinds[view[at]!]
    if (kind === unitKind.word) at = readWord(reader, at)
    else if (kind === unitKind.unspaced) at = readUnspaced(reader, at)
    else {
      if (kind === unitKind.sentenceEnd && endsSentence(view, at)) reader.place += sentenceGap
      else if (kind === unitKind.newline && view[at + 1] === 0x0a) reader.place += sentenceGap
      else if (kind === unitKind.comma) reader.place += 1
      at++
    }
  }
  return words
}

const fenceWord = maskOf(['fenceword']).high
const tagOrFence = fenceWord | maskOf(['tagword']).high

interface Reader {
  view: Uint16Array
  words: KnownWords
  place: number
  mendsTypos: boolean
}

function endsSentence(view: Uint16Array, at: number): boolean {
  return (
    view[at]! > 0x7f || at + 1 === view.length || unitKinds[view[at + 1]!] === unitKind.newline || view[at + 1] === 0x20
  )
}

function readWord(reader: Reader, start: number): number {
  const { view } = reader
  let hash = hashSeed
  let at = start
  let stem: LexiconEntry | null = null
  let hasDigit = false
  let isMixed = false
  for (; at < view.length && unitKinds[view[at]!] === unitKind.word; at++) {
    const code = view[at]!
    if (code >= 0x30 && code <= 0x39) hasDigit = true
    else if (hasDigit) isMixed = true
    hash = hashStep(hash, code)
    if (at - start >= shortestStem - 1 && mayBeWord(hash)) {
      const entry = findEntry(hash, view, start, at + 1)
      if (entry?.isStem) stem = entry
    }
  }
  const { traits } = reader.words
  traits.words++
  if (at - start === 1) traits.singles++
  if (at - start > traits.longest) traits.longest = at - start
  if (isMixed) traits.mixed++
  const whole = mayBeWord(hash) ? findEntry(hash, view, start, at) : null
  let entry = whole ?? stem
  if (entry === null) {
    const meant = findMeantWord(view, start, at)
    if (meant !== null) traits.typos++
    if (reader.mendsTypos) entry = meant
  }
  const end = emit(reader, entry, start, at)
  reader.place += placesPerWord
  return end
}

function readUnspaced(reader: Reader, start: number): number {
  const { view } = reader
  let hash = hashSeed
  let longest: LexiconEntry | null = null
  for (let at = start; at < view.length && at < start + longestUnspaced; at++) {
    if (unitKinds[view[at]!] !== unitKind.unspaced) break
    hash = hashStep(hash, view[at]!)
    if (mayBeWord(hash)) longest = findEntry(hash, view, start, at + 1) ?? longest
  }
  const end = longest ? emit(reader, longest, start, start + longest.codes.length) : start + 1
  reader.place += longest ? placesPerWord : 1
  return end
}

/** Where reading goes on: behind the word, or behind the longest phrase that begins with it. */
function emit(reader: Reader, entry: LexiconEntry | null, start: number, end: number): number {
  if (entry === null) return end
  let { low, high } = entry
  let after = end
  for (const phrase of entry.phrases) {
    const phraseEnd = findPhraseEnd(reader.view, end, phrase.words)
    if (phraseEnd === -1) continue
    low |= phrase.low
    high |= phrase.high
    after = phraseEnd
    reader.place += placesPerWord * phrase.words.length
    break
  }
  if (low === 0 && high === 0) return after
  if ((high & tagOrFence) !== 0) high |= shapeAround(reader.view, start, after, (high & fenceWord) !== 0)
  const { words } = reader
  words.places[words.count] = reader.place
  words.starts[words.count] = start
  words.low[words.count] = low
  words.high[words.count] = high
  words.count++
  words.allLow |= low
  words.allHigh |= high
  return after
}

function findPhraseEnd(view: Uint16Array, from: number, wanted: Uint16Array[]): number {
  let at = from
  for (const word of wanted) {
    const gapEnd = at + widestGap
    while (at < gapEnd && at < view.length && unitKinds[view[at]!] === unitKind.separator) at++
    if (at < view.length && unitKinds[view[at]!] === unitKind.newline) at++
    if (!standsAt(word, view, at, at + word.length)) return -1
    at += word.length
    if (at < view.length && unitKinds[view[at]!] === unitKind.word) return -1
  }
  return at
}
