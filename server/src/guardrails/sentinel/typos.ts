// Recognises misspelt words of the English grammar: letters shuffled between the first and the last, or one letter
// added, missing or wrong.

import { findEntry, hashSeed, hashStep, type LexiconEntry } from './lexicon.ts'
import { english } from './lexicons/english.ts'

/** Classes whose typos are recognised; the words of others are too short or too common. */
const mendedClasses = new Set([
  'ignore',
  'drop',
  'override',
  'bypass',
  'disable',
  'instructions',
  'rules',
  'system',
  'prompt',
  'safety',
  'filter',
  'safeguard',
  'previous',
  'restriction',
  'unrestricted',
  'talk',
  'everything',
  'particle',
])
/** Classes of which only shuffled words are recognised: too many other words differ by one letter. */
const stirredClasses = new Set(['role', 'ai', 'not', 'answer', 'gone', 'void', 'orders', 'follow'])
const minStirredLength = 5
const minMendedLength = 6
const maxMendedLength = 16

/** Real words that differ by one letter from one of ours. */
const realWords = new Set(
  `
  backed braking breath breech broach cancels cancer chance change changed changer changes charge charged charges
  charging cheeks commend commended consent consideration contend content contents contest contests context
  contexts converts defeats defect deleted deletes depleting developed direction discards discord dripping
  eliminated eliminates falter farmer featured filler fillers filmer fitter forge forged forges forgot formed former
  initials instructs lawyer lawyers listing looser massage massages measured mortality mortals neglects operators
  originals overrode police policed polity precious principal principle principled projections promoting
  protection provided provider provides refusals regulation relating relived remote removal remover removes
  restrain review reviewed reviews rewrites safely seating secrete secrets setting settings settling sexting
  shackle shipping sitting systemic systems terminates trailing underline undermined unlocks updated updater
  updates upload uploads violated violent
`
    .trim()
    .split(/\s+/),
)

/** Odd, and therefore invertible modulo 2^32. */
const base = 0x01000193
const inverseBase = invert(base)
const [firstLetter, lastLetter] = [0x61, 0x7a]
const stirred = new Map<number, LexiconEntry>()
const whole = new Map<number, LexiconEntry>()
/** The keys are the hash without one letter, and that hash combined with the letter's position. */
const shortened = new Map<number, LexiconEntry>()
/** One bit for each hash that one of the three maps contains: most words are in none. */
const filterBits = 19
const filter = new Uint8Array(1 << (filterBits - 3))

/**
 * The word that the letters from `start` to `end` were meant to be, or null. They must not be a word of the lexicon.
 */
export function findMeantWord(view: Uint16Array, start: number, end: number): LexiconEntry | null {
  const length = end - start
  if (length < minStirredLength || length > maxMendedLength || !isLatin(view, start, end)) return null
  const entry = ask(stirred, stirredHash(view, start, end)) ?? findNear(view, start, end)
  return entry === null || realWords.has(String.fromCharCode(...view.subarray(start, end))) ? null : entry
}

function findNear(view: Uint16Array, start: number, end: number): LexiconEntry | null {
  if (end - start < minMendedLength) return null
  const all = hashOf(view, start, end)
  const tooFew = ask(shortened, all)
  if (tooFew) return tooFew
  let before = 0
  let power = 1
  for (let without = start; without < end; without++) {
    const withIt = (before + Math.imul(view[without]!, power)) | 0
    if (without > start) {
      const hash = (before + Math.imul(all - withIt, inverseBase)) | 0
      const near = ask(whole, hash) ?? ask(shortened, atPlace(hash, without - start))
      if (near) return near
    }
    before = withIt
    power = Math.imul(power, base)
  }
  return null
}

function ask(words: Map<number, LexiconEntry>, hash: number): LexiconEntry | null {
  const bit = bitOf(hash)
  return (filter[bit >> 3]! & (1 << (bit & 7))) === 0 ? null : (words.get(hash) ?? null)
}

function bitOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca77)
  return mixed >>> (32 - filterBits)
}

function isLatin(view: Uint16Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (view[at]! < firstLetter || view[at]! > lastLetter) return false
  return true
}

/** The same for all words with these ends and the same letters between them, in any order. */
function stirredHash(view: Uint16Array, start: number, end: number): number {
  let sum = end - start
  for (let at = start + 1; at < end - 1; at++) sum = (sum + weigh(view[at]!)) | 0
  return hashStep(hashStep(sum, view[start]!), view[end - 1]!)
}

/** Distant values for neighbouring letters, so that sums rarely collide. */
function weigh(letter: number): number {
  const spread = Math.imul(letter, 0x9e3779b1)
  const mixed = Math.imul(spread ^ (spread >>> 15), 0x85ebca77)
  return mixed ^ (mixed >>> 13)
}

/** A sum of letters by position, so that one letter can be removed from it again. */
function hashOf(view: Uint16Array, start: number, end: number): number {
  let hash = 0
  for (let at = end - 1; at >= start; at--) hash = (Math.imul(hash, base) + view[at]!) | 0
  return hash
}

function invert(odd: number): number {
  let inverse = odd
  for (let round = 0; round < 5; round++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse))
  return inverse
}

function atPlace(hash: number, place: number): number {
  return hashStep(hash, place + 1)
}

function keep(words: Map<number, LexiconEntry>, hash: number, entry: LexiconEntry): void {
  words.set(hash, entry)
  const bit = bitOf(hash)
  filter[bit >> 3]! |= 1 << (bit & 7)
}

function addWord(word: string, isMended: boolean): void {
  const codes = Uint16Array.from(word, letter => letter.charCodeAt(0))
  const { length } = codes
  const entry = findEntry(
    codes.reduce((hash, code) => hashStep(hash, code), hashSeed),
    codes,
    0,
    length,
  )
  if (entry === null || length < minStirredLength || length > maxMendedLength) return
  keep(stirred, stirredHash(codes, 0, length), entry)
  if (!isMended || length < minMendedLength) return
  keep(whole, hashOf(codes, 0, length), entry)
  for (let place = 1; place < length; place++) {
    const rest = codes.filter((_code, index) => index !== place)
    const hash = hashOf(rest, 0, rest.length)
    if (length > minMendedLength) keep(shortened, hash, entry)
    keep(shortened, atPlace(hash, place), entry)
  }
}

let current = ''
for (const source of english.split(/\s+/)) {
  const item = source.replace('~', '')
  if (item.endsWith(':')) current = item.slice(0, -1)
  else if (/^[a-z]+$/.test(item) && (mendedClasses.has(current) || stirredClasses.has(current))) {
    addWord(item, mendedClasses.has(current))
  }
}
