// Reads a view into phrases: runs of one to three words or signs. Each is known by a hash of 32 bits, in which two of
// the phrases that the weights know hardly ever meet. Training and scanning share this reading.

import { unitKind, unitKinds } from '../code-units.ts'

export interface Phrases {
  count: number
  hashes: Int32Array
}

const longestPhrase = 3
const firstCapacity = 3_072
const newline = 0x0a
const space = 0x20
const numberToken = 0x0ddba11
const salts = [0, 0x1b873593, 0x297a2d39, 0x71374491] as const

const phrases: Phrases = { count: 0, hashes: new Int32Array(firstCapacity) }

/** The result is valid until the next call, because all texts share its memory. */
export function readPhrases(view: Uint16Array): Phrases {
  const most = view.length * longestPhrase
  if (most > phrases.hashes.length) phrases.hashes = new Int32Array(most)
  const { hashes } = phrases
  let count = 0
  let last = 0
  let beforeLast = 0
  let tokens = 0
  for (let at = 0; at < view.length; ) {
    const code = view[at]!
    if (code === space || code === newline) {
      at++
      continue
    }
    const isWord = unitKinds[code] === unitKind.word
    const end = isWord ? endOfWord(view, at) : at + 1
    const token = isWord ? hashOfWord(view, at, end) : Math.imul(code ^ 0x811c9dc5, 0x01000193)
    hashes[count++] = mix(token ^ salts[1])
    if (tokens > 0) hashes[count++] = mix(join(last, token) ^ salts[2])
    if (tokens > 1) hashes[count++] = mix(join(join(beforeLast, last), token) ^ salts[3])
    beforeLast = last
    last = token
    tokens++
    at = end
  }
  phrases.count = count
  return phrases
}

function endOfWord(view: Uint16Array, start: number): number {
  let at = start + 1
  while (at < view.length && unitKinds[view[at]!] === unitKind.word) at++
  return at
}

/** All numbers are one word. */
function hashOfWord(view: Uint16Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0
  let letters = 0
  for (let at = start; at < end; at++) {
    const code = view[at]!
    if (code < 0x30 || code > 0x39) letters++
    hash = Math.imul(hash ^ code, 0x01000193)
  }
  return letters === 0 ? numberToken : hash
}

function join(left: number, right: number): number {
  return Math.imul(Math.imul(left, 0x2545f491) ^ (left >>> 13) ^ right, 0x01000193)
}

function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
