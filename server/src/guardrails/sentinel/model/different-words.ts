// Counts the different words of a part of a view, digits aside: `name0` and `name1` are one word, a number is none.

import { unitKind, unitKinds } from '../code-units.ts'

/** Of the words that begin at these places. Stops at `wanted`, which is small: a word is compared with all others. */
export function countWords(view: Uint16Array, starts: Int32Array, wanted: number): number {
  const known: number[] = []
  for (let token = 0; token < starts.length && known.length < wanted; token++) {
    const word = hashOfLetters(view, starts[token]!)
    if (word !== noLetters && !known.includes(word)) known.push(word)
  }
  return known.length
}

const noLetters = 0

function hashOfLetters(view: Uint16Array, start: number): number {
  if (unitKinds[view[start]!] === unitKind.unspaced) return view[start]!
  let hash = noLetters
  for (let at = start; at < view.length && unitKinds[view[at]!] === unitKind.word; at++) {
    const code = view[at]!
    if (code < 0x30 || code > 0x39) hash = Math.imul(hash ^ code, 0x01000193) + 1
  }
  return hash
}
