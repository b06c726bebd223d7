// Reads a folded text once and lists the words of the lexicon in it, with their classes and places. A word takes two
// places, a letter of a script without spaces takes one, and the end of a sentence adds a large distance.

import { unitKind, unitKinds } from './code-units.ts'
import {
  beginsWord,
  findEntry,
  findStem,
  hashSeed,
  hashStep,
  type LexiconEntry,
  mayBeStem,
  mayBeWord,
  type Phrase,
  standsAt,
} from './lexicon.ts'
import { shapeAround, turnStart } from './marker-shapes.ts'
import { findMeantWord } from './typos.ts'
import { joinClasses, maskOf, type WordClasses } from './word-classes.ts'
import { type GapReader, gapAt } from './word-gaps.ts'

export interface KnownWords {
  count: number
  places: number[]
  starts: number[]
  low: number[]
  high: number[]
  /** The classes for which the word is a firm sign. */
  firmLow: number[]
  firmHigh: number[]
  /** All classes of the text together. */
  allLow: number
  allHigh: number
  /** Misspelt words of the lexicon: their classes count only after `mendTypos`. */
  meant: { index: number; low: number; high: number }[]
  traits: TextTraits
}

/** Signs of altered letters, and where they are. */
export interface TextTraits {
  words: number
  /** Words that are frequent in most texts. */
  common: number
  /** Words of one letter that follow another one. */
  singles: number[]
  /** Where the last word of one letter is. */
  lastSingle: number
  /** Words with a digit before a letter, and signs between letters that look like one. */
  mixed: number[]
  /** Words that are several without spaces, or a name. */
  glued: number[]
  /** Tags that touch a word. */
  tags: number[]
  /** Words of two hexadecimal digits. */
  pairs: number
  /** Letters of the longest word. */
  longestWord: number
}

export const minGluedLength = 18
/** Letters that are set apart are closer to each other than this. */
const maxLetterGap = 5

const placesPerWord = 2
const maxUnspacedLength = 12
const minStemLength = 3
/** A phrase may have this many spaces and marks between its words. */
const widestGap = 4

export function readWords(view: Uint16Array): KnownWords {
  const words: KnownWords = {
    count: 0,
    places: [],
    starts: [],
    low: [],
    high: [],
    firmLow: [],
    firmHigh: [],
    allLow: 0,
    allHigh: 0,
    meant: [],
    traits: {
      words: 0,
      common: 0,
      singles: [],
      lastSingle: -maxLetterGap,
      mixed: [],
      glued: [],
      tags: [],
      pairs: 0,
      longestWord: 0,
    },
  }
  const reader = { view, words, place: 0, phraseEnd: 0, chainEnd: 0, nameEnd: 0 }
  let at = 0
  while (at < view.length) {
    const kind = unitKinds[view[at]!]
    if (kind === unitKind.word) at = readWord(reader, at)
    else if (kind === unitKind.unspaced) at = readUnspaced(reader, at)
    else {
      if (kind !== unitKind.separator) reader.place += gapAt(reader, at)
      if (oddSigns[view[at]!] === 1) noteSign(view, at, words.traits)
      at++
    }
  }
  return words
}

/** Gives misspelt words the classes of the intended words, all of them firm: disguise shows intent. */
export function mendTypos(words: KnownWords): void {
  for (const { index, low, high } of words.meant) {
    words.low[index]! |= low
    words.high[index]! |= high
    words.firmLow[index]! |= low
    words.firmHigh[index]! |= high
    words.allLow |= low
    words.allHigh |= high
  }
}

const [tagStart, tagEnd] = [0x3c, 0x3e]
const oddSigns = new Uint8Array(0x10000)
for (const sign of '@$!|+<>') oddSigns[sign.charCodeAt(0)] = 1

/** A sign that stands for a letter, or a tag within a word. */
function noteSign(view: Uint16Array, at: number, traits: TextTraits): void {
  const [before, after] = [isLatin(view[at - 1]), isLatin(view[at + 1])]
  if (view[at] === tagStart ? before : view[at] === tagEnd && after) traits.tags.push(at)
  else if (before && after && view[at] !== tagStart && view[at] !== tagEnd) traits.mixed.push(at)
}

function isLatin(code: number | undefined): boolean {
  return code !== undefined && code >= 0x61 && code <= 0x7a
}

/** Only the presence of these words counts. */
const common = maskOf(['common']).high
const benign = maskOf(['benign']).high
const fenceWord = maskOf(['fenceword']).high
const tagOrFence = fenceWord | maskOf(['tagword']).high

interface Reader extends GapReader {
  words: KnownWords
  place: number
}

function readWord(reader: Reader, start: number): number {
  const { view, words } = reader
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
    if (at - start >= minStemLength - 1 && mayBeStem(hash)) stem = findStem(hash, view, start, at + 1) ?? stem
  }
  count(words.traits, start, at - start, isMixed)
  if (at - start === 2 && isHexDigit(view[start]!) && isHexDigit(view[start + 1]!)) words.traits.pairs++
  const entry = (mayBeWord(hash) ? findEntry(hash, view, start, at) : null) ?? stem
  const end = entry === null ? at : emit(reader, entry, stem, start, at)
  if (entry === null) noteMeantWord(reader, start, at)
  reader.place += placesPerWord
  return end
}

function count(traits: TextTraits, start: number, length: number, isMixed: boolean): void {
  traits.words++
  if (length === 1) {
    if (start - traits.lastSingle < maxLetterGap) traits.singles.push(start)
    traits.lastSingle = start
  }
  if (length > traits.longestWord) traits.longestWord = length
  if (length >= minGluedLength) traits.glued.push(start)
  if (isMixed) traits.mixed.push(start)
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66)
}

function noteMeantWord({ view, words, place }: Reader, start: number, end: number): void {
  const meant = findMeantWord(view, start, end)
  if (meant === null) return
  words.meant.push({ index: words.count, low: meant.low, high: meant.high })
  push(words, place, start, noClasses)
}

function readUnspaced(reader: Reader, start: number): number {
  const { view } = reader
  let hash = hashSeed
  let longestWord: LexiconEntry | null = null
  const last = beginsWord[view[start]!] === 1 ? Math.min(view.length, start + maxUnspacedLength) : start
  for (let at = start; at < last; at++) {
    if (unitKinds[view[at]!] !== unitKind.unspaced) break
    hash = hashStep(hash, view[at]!)
    if (mayBeWord(hash)) longestWord = findEntry(hash, view, start, at + 1) ?? longestWord
  }
  const end = longestWord ? emit(reader, longestWord, null, start, start + longestWord.codes.length) : start + 1
  reader.place += longestWord ? placesPerWord : 1
  return end
}

/** Returns where to continue: after the word, or after a phrase whose words mean nothing by themselves. */
function emit(reader: Reader, entry: LexiconEntry, stem: LexiconEntry | null, start: number, end: number): number {
  const { view, words } = reader
  let classes: WordClasses = stem === null || stem === entry ? entry : joinClasses(entry, stem)
  let after = end
  let phrasesEnd = end
  const next = entry.phrases.length === 0 ? end : skipGap(view, end)
  for (const phrase of entry.phrases) {
    if (phrase.words[0]![0] !== view[next]) continue
    const phraseEnd = findPhraseEnd(view, next, phrase)
    if (phraseEnd === -1) continue
    classes = joinClasses(classes, phrase)
    phrasesEnd = Math.max(phrasesEnd, phraseEnd)
    if ((phrase.high & benign) !== 0) after = phraseEnd
  }
  reader.phraseEnd = Math.max(reader.phraseEnd, phrasesEnd)
  if ((classes.high & tagOrFence) !== 0) {
    const shape = shapeAround(view, start, phrasesEnd, (classes.high & fenceWord) !== 0)
    if (shape !== 0) reader.phraseEnd = Math.max(reader.phraseEnd, turnStart(view, phrasesEnd))
    if (shape !== 0) classes = joinClasses(classes, { low: 0, high: shape, firmLow: 0, firmHigh: shape })
  }
  const { low, high } = classes
  if ((high & common) !== 0) words.traits.common++
  if (low !== 0 || (high & ~common) !== 0) push(words, reader.place, start, classes)
  else words.allHigh |= high
  return after
}

const noClasses: WordClasses = { low: 0, high: 0, firmLow: 0, firmHigh: 0 }

function push(words: KnownWords, place: number, start: number, { low, high, firmLow, firmHigh }: WordClasses): void {
  words.places.push(place)
  words.starts.push(start)
  words.low.push(low)
  words.high.push(high)
  words.firmLow.push(firmLow)
  words.firmHigh.push(firmHigh)
  words.count++
  words.allLow |= low
  words.allHigh |= high
}

/** The end of a phrase whose second word should begin at `from`, or -1. */
function findPhraseEnd(view: Uint16Array, from: number, { words, isOpen }: Phrase): number {
  let at = from
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    if (index > 0) at = skipGap(view, at)
    if (!standsAt(word, view, at, at + word.length)) return -1
    at += word.length
    const endsOpen = isOpen && index === words.length - 1
    if (!endsOpen && at < view.length && unitKinds[view[at]!] === unitKind.word) return -1
  }
  return at
}

function skipGap(view: Uint16Array, from: number): number {
  let at = from
  const widest = from + widestGap
  while (at < widest && at < view.length && isGap(unitKinds[view[at]!]!)) at++
  return at < view.length && unitKinds[view[at]!] === unitKind.newline ? at + 1 : at
}

function isGap(kind: number): boolean {
  return kind === unitKind.separator || kind === unitKind.sign
}
