// Reverts changes to the letters of a folded text: letters set apart, digits for letters, words joined or cut by tags,
// reversed or shifted alphabets. Each function reads the text once.

import { unitKind, unitKinds } from './code-units.ts'
import { findEntry, hashSeed, hashStep, mayBeWord } from './lexicon.ts'

const spaceUnit = 0x20
const letterA = 0x61
const separators = new Set([...' .-_*/|,+~·'].map(character => character.charCodeAt(0)))
const minRunLength = 3

/** `i g n o r e`, `i.g.n.o.r.e` → `ignore`; if letters are separated by a space, words are separated by two. */
export function joinLetters(view: Uint16Array): Uint16Array {
  const joined = new Uint16Array(view.length)
  let length = 0
  let at = 0
  while (at < view.length) {
    const separator = view[at + 1] ?? 0
    const isRunStart = separators.has(separator) && view[at] !== separator && !isLetter(view[at - 1])
    const end = isRunStart ? runEnd(view, at, separator) : at
    if (end === at) {
      joined[length++] = view[at++]!
      continue
    }
    while (at < end) {
      joined[length++] = view[at++]!
      if (at < end) at++
      if (separator !== spaceUnit || view[at] !== spaceUnit || at >= end) continue
      joined[length++] = spaceUnit
      while (at < end && view[at] === spaceUnit) at++
    }
    if (view[end - 1] === separator) joined[length++] = separator
  }
  return joined.subarray(0, length)
}

/** The end of a run of single units, each followed by the separator; `start` if it is too short. */
function runEnd(view: Uint16Array, start: number, separator: number): number {
  let at = start
  let count = 0
  while (at < view.length && view[at] !== separator && (view[at + 1] === separator || !isLetter(view[at + 1]))) {
    count++
    if (view[at + 1] !== separator) {
      at++
      break
    }
    at += 2
    if (separator === spaceUnit) while (view[at] === spaceUnit) at++
  }
  return count >= minRunLength ? at : start
}

function isLetter(code: number | undefined): boolean {
  return code !== undefined && (unitKinds[code] === unitKind.word || unitKinds[code] === unitKind.unspaced)
}

/** The letter that a digit or sign looks like; 0 if it looks like none, or like two. */
const leetLetters = new Uint16Array(0x80)
for (const [, sign, letter] of '0o3e4a5s6g7t8b9g@a$s|l+t'.matchAll(/(.)(.)/g)) {
  leetLetters[sign!.charCodeAt(0)] = letter!.charCodeAt(0)
}
const [digitOne, exclamation] = [0x31, 0x21]

/** Replaces digits and signs by the letters they look like; `1` and `!` look like two. A sign by itself stays. */
export function readLeet(view: Uint16Array, letterOfOne: 'i' | 'l'): Uint16Array {
  const one = letterOfOne.charCodeAt(0)
  const read = view.slice()
  for (let at = 0; at < view.length; at++) {
    const code = view[at]!
    const letter = code === digitOne || code === exclamation ? one : code < 0x80 ? leetLetters[code]! : 0
    if (letter !== 0 && (isLetter(code) || isLetter(view[at - 1]) || isLetter(view[at + 1]))) read[at] = letter
  }
  return read
}

const minGluedLength = 14
const maxWordLength = 16
const minChainWords = 3
/** The maximum length of an unknown word between two words of the lexicon. */
const maxLettersBetween = 2

/**
 * `ignoreallprevious` → `ignore all previous`, only for several adjacent English words: single ones are parts of names.
 */
export function cutGlued(view: Uint16Array): Uint16Array {
  const cut = new Uint16Array(view.length * 2)
  let length = 0
  let at = 0
  while (at < view.length) {
    let end = at
    while (isLetter(view[end])) end++
    if (end - at >= minGluedLength) length = cutRun(view, at, end, cut, length)
    else while (at < end) cut[length++] = view[at++]!
    if (end < view.length) cut[length++] = view[end]!
    at = end + 1
  }
  return cut.subarray(0, length)
}

/**
 * Writes the letters from `start` to `end` with spaces around words of a chain, and returns the new length of `cut`.
 */
function cutRun(view: Uint16Array, start: number, end: number, cut: Uint16Array, written: number): number {
  let length = written
  let copied = start
  let chain: number[] = []
  const copyTo = (to: number): void => {
    while (copied < to) cut[length++] = view[copied++]!
  }
  const endChain = (): void => {
    for (const border of chain.length < minChainWords * 2 ? [] : chain) {
      copyTo(border)
      cut[length++] = spaceUnit
    }
    chain = []
  }
  let at = start
  while (at < end) {
    const wordEnd = findWordEnd(view, at, end)
    if (wordEnd !== -1) chain.push(at, wordEnd)
    else if (at - (chain.at(-1) ?? at) >= maxLettersBetween) endChain()
    at = wordEnd === -1 ? at + 1 : wordEnd
  }
  endChain()
  copyTo(end)
  return length
}

/**
 * The end of the longest word that is followed by another one, otherwise of the longest: `yoursafety` begins with
 * `your`.
 */
function findWordEnd(view: Uint16Array, start: number, end: number): number {
  let longest = -1
  let followed = -1
  for (let wordEnd = nextWordEnd(view, start, start, end); wordEnd !== -1; ) {
    longest = wordEnd
    if (wordEnd === end || nextWordEnd(view, wordEnd, wordEnd, end) !== -1) followed = wordEnd
    wordEnd = nextWordEnd(view, start, wordEnd, end)
  }
  return followed === -1 ? longest : followed
}

/** The end of the shortest word from `start` that ends after `after`, or -1. */
function nextWordEnd(view: Uint16Array, start: number, after: number, end: number): number {
  let hash = hashSeed
  for (let at = start; at < end && at < start + maxWordLength; at++) {
    hash = hashStep(hash, view[at]!)
    if (at > start && at >= after && mayBeWord(hash) && findEntry(hash, view, start, at + 1)?.isEnglish) return at + 1
  }
  return -1
}

const [tagStart, tagEnd] = [0x3c, 0x3e]
const maxTagLength = 200

/** Removes tags and comments, so that the word around them is whole. */
export function dropTags(view: Uint16Array): Uint16Array {
  const kept = new Uint16Array(view.length)
  let length = 0
  let nextEnd = 0
  for (let at = 0; at < view.length; at++) {
    if (view[at] === tagStart) {
      if (nextEnd < at) nextEnd = at
      while (nextEnd < view.length && view[nextEnd] !== tagEnd) nextEnd++
      if (nextEnd < view.length && nextEnd - at < maxTagLength) {
        at = nextEnd
        continue
      }
    }
    kept[length++] = view[at]!
  }
  return kept.subarray(0, length)
}

export function rotate13(view: Uint16Array): Uint16Array {
  const rotated = view.slice()
  for (let at = 0; at < view.length; at++) {
    const place = view[at]! - letterA
    if (place >= 0 && place < 26) rotated[at] = letterA + ((place + 13) % 26)
  }
  return rotated
}

/** Reverses the text between two marks of the right-to-left override, or to the end. */
export function undoOverride(text: string): string {
  return text.replace(/\u202e([^\u202c]{1,8192})\u202c?/g, (_whole, run: string) => [...run].reverse().join(''))
}
