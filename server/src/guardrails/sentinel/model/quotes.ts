// Leaves out what stands in quotation marks: a text that reports an attack is harmless around the quote.

import { unitKind, unitKinds } from '../code-units.ts'

const codeOf = (sign: string): number => sign.charCodeAt(0)
/** The signs that may end a quote, by the sign that begins it. */
const endsOf: ReadonlyMap<number, readonly number[]> = new Map(
  ['""', '“”“"', '„“”"', '””', '«»', '»«', '「」', '『』', '``', "''", '‘’', '‚‘’'].map(([first, ...ends]) => [
    codeOf(first!),
    ends.map(codeOf),
  ]),
)
const begins = new Uint8Array(0x10000)
for (const sign of endsOf.keys()) begins[sign] = 1

/** Shorter quotes are names and terms. */
const minWordsInside = 3
/** Fewer say nothing about the quote. */
const minWordsOutside = 5
const [straight, space] = [codeOf('"'), 0x20]
/** These are apostrophes too. */
const single: readonly number[] = [codeOf("'"), codeOf('‘')]
/** Some languages have a space after it. */
const spaced: readonly number[] = [codeOf('«'), codeOf('`')]

/** The view with a pair of marks for each quote; null if it has none, or hardly any word besides. */
export function outsideQuotes(view: Uint16Array): Uint16Array | null {
  let outside: Uint16Array | null = null
  let length = 0
  let copied = 0
  /** Signs that no other one ends: each is searched for only once. */
  const unended = new Set<number>()
  for (let at = 0; at < view.length; at++) {
    const sign = view[at]!
    if (begins[sign] === 0 || unended.has(sign) || !mayBegin(view, at)) continue
    const end = findEnd(view, at)
    if (end === -1) {
      unended.add(sign)
      continue
    }
    if (countWords(view, at + 1, end) >= minWordsInside) {
      outside ??= new Uint16Array(view.length)
      outside.set(view.subarray(copied, at), length)
      length += at - copied
      outside[length++] = straight
      outside[length++] = straight
      copied = end + 1
    }
    at = end
  }
  if (outside === null) return null
  outside.set(view.subarray(copied), length)
  length += view.length - copied
  return countWords(outside, 0, length) < minWordsOutside ? null : outside.subarray(0, length)
}

function mayBegin(view: Uint16Array, at: number): boolean {
  return !isInWord(view, at - 1) && (view[at + 1] !== space || spaced.includes(view[at]!))
}

function findEnd(view: Uint16Array, start: number): number {
  const ends = endsOf.get(view[start]!)!
  const isSingle = single.includes(view[start]!)
  for (let at = start + 1; at < view.length; at++) {
    if (!ends.includes(view[at]!)) continue
    if (!isInWord(view, at + 1) || !(isSingle || view[at] === straight)) return at
  }
  return -1
}

function isInWord(view: Uint16Array, at: number): boolean {
  const kind = at < 0 || at >= view.length ? unitKind.separator : unitKinds[view[at]!]
  return kind === unitKind.word || kind === unitKind.unspaced
}

function countWords(view: Uint16Array, from: number, to: number): number {
  let words = 0
  let before: number = unitKind.separator
  for (let at = from; at < to; at++) {
    const kind = unitKinds[view[at]!]!
    if (kind === unitKind.unspaced || (kind === unitKind.word && before !== unitKind.word)) words++
    before = kind
  }
  return words
}
