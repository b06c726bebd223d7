// The words of all languages in one hash table: whole words, stems, and phrases under their first word. A hit is
// confirmed letter by letter.

import { foldText } from './fold-text.ts'
import { eastAsian } from './lexicons/east-asian.ts'
import { english } from './lexicons/english.ts'
import { germanicAndSlavic } from './lexicons/germanic-and-slavic.ts'
import { romance } from './lexicons/romance.ts'
import { southAndWestAsian } from './lexicons/south-and-west-asian.ts'
import { type ClassMask, maskOf, type WordClasses } from './word-classes.ts'

export interface LexiconEntry extends WordClasses {
  /** Folded like the text. */
  codes: Uint16Array
  isStem: boolean
  isEnglish: boolean
  /** The possible continuations, the longest first. */
  phrases: Phrase[]
}

export interface Phrase extends WordClasses {
  words: Uint16Array[]
  /** The last word is a stem. */
  isOpen: boolean
}

export const hashSeed = 0x811c9dc5 | 0

export function hashStep(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

const tableSize = 1 << 15
const entries: LexiconEntry[] = []
/** Index + 1 of the entry; open addressing. */
const slots = new Uint16Array(tableSize)
const slotHashes = new Int32Array(tableSize)
/** One bit for each hash in the table, so that most words cost one look-up. */
const wordFilter = new Uint8Array(1 << 13)
const stemFilter = new Uint8Array(1 << 13)

/** The first units of all words: in scripts without spaces a word may begin at each. */
export const beginsWord = new Uint8Array(0x10000)

export function mayBeWord(hash: number): boolean {
  return holds(wordFilter, hash)
}

export function mayBeStem(hash: number): boolean {
  return holds(stemFilter, hash)
}

function holds(filter: Uint8Array, hash: number): boolean {
  const bit = (hash ^ (hash >>> 16)) & 0xffff
  return (filter[bit >> 3]! & (1 << (bit & 7))) !== 0
}

function put(filter: Uint8Array, hash: number): void {
  const bit = (hash ^ (hash >>> 16)) & 0xffff
  filter[bit >> 3]! |= 1 << (bit & 7)
}

/** The entry for the word at `start`, or null. */
export function findEntry(hash: number, view: Uint16Array, start: number, end: number): LexiconEntry | null {
  for (let slot = hash & (tableSize - 1); slots[slot] !== 0; slot = (slot + 1) & (tableSize - 1)) {
    if (slotHashes[slot] !== hash) continue
    const entry = entries[slots[slot]! - 1]!
    if (standsAt(entry.codes, view, start, end)) return entry
  }
  return null
}

export function findStem(hash: number, view: Uint16Array, start: number, end: number): LexiconEntry | null {
  const entry = findEntry(hash, view, start, end)
  return entry?.isStem ? entry : null
}

export function standsAt(codes: Uint16Array, view: Uint16Array, start: number, end: number): boolean {
  if (end - start !== codes.length) return false
  for (let index = 0; index < codes.length; index++) if (view[start + index] !== codes[index]) return false
  return true
}

const noClasses = { low: 0, high: 0, firmLow: 0, firmHigh: 0 }

function addLexicon(source: string, isEnglish: boolean): void {
  let classes: ClassMask = noClasses
  for (const item of source.split(/\s+/)) {
    if (item === '') continue
    if (item.endsWith(':')) classes = maskOf([item.slice(0, -1)])
    else addItem(item, classes, isEnglish)
  }
}

function addItem(source: string, classes: ClassMask, isEnglish: boolean): void {
  const isVague = source.startsWith('~')
  const isStem = source.endsWith('*')
  const item = source.slice(isVague ? 1 : 0, isStem ? -1 : undefined)
  const [first, ...rest] = item.split('_').map(word => foldText(word))
  const entry = entryFor(first!, isStem && rest.length === 0, isEnglish)
  addClasses(rest.length === 0 ? entry : phraseFor(entry, rest, isStem), classes, isVague)
}

/** A word that is vague in one language is not firm because of its spelling in another. */
function addClasses(to: WordClasses, { low, high }: ClassMask, isVague: boolean): void {
  if (!isVague) {
    to.firmLow |= low & ~to.low
    to.firmHigh |= high & ~to.high
  }
  to.low |= low
  to.high |= high
}

function phraseFor({ phrases }: LexiconEntry, words: Uint16Array[], isOpen: boolean): Phrase {
  const known = phrases.find(phrase => phrase.isOpen === isOpen && sameWords(phrase.words, words))
  if (known) return known
  const phrase = { words, isOpen, ...noClasses }
  phrases.push(phrase)
  phrases.sort((a, b) => b.words.length - a.words.length)
  return phrase
}

function entryFor(codes: Uint16Array, isStem: boolean, isEnglish: boolean): LexiconEntry {
  let hash = hashSeed
  for (const code of codes) hash = hashStep(hash, code)
  const known = findEntry(hash, codes, 0, codes.length)
  if (known) {
    known.isStem ||= isStem
    if (isStem) put(stemFilter, hash)
    return known
  }
  const entry = { codes, isStem, isEnglish, ...noClasses, phrases: [] }
  entries.push(entry)
  let slot = hash & (tableSize - 1)
  while (slots[slot] !== 0) slot = (slot + 1) & (tableSize - 1)
  slots[slot] = entries.length
  slotHashes[slot] = hash
  put(wordFilter, hash)
  beginsWord[codes[0]!] = 1
  if (isStem) put(stemFilter, hash)
  return entry
}

function sameWords(left: Uint16Array[], right: Uint16Array[]): boolean {
  return (
    left.length === right.length && left.every((word, index) => standsAt(word, right[index]!, 0, right[index]!.length))
  )
}

addLexicon(english, true)
for (const source of [romance, germanicAndSlavic, eastAsian, southAndWestAsian]) addLexicon(source, false)
