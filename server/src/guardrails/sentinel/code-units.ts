// Classifies and folds each code unit for the scanners. The text must have been normalised to NFKD.

import { latinVariants, lookalikes } from './lookalikes.ts'

/** Folded forms; 0 means that the unit is dropped. */
export const plainFolds = new Uint16Array(0x10000)
/** The same, with look-alikes of other scripts folded to Latin letters. */
export const lookalikeFolds = new Uint16Array(0x10000)

export const unitKind = {
  separator: 0,
  word: 1,
  /** A letter of a script without spaces between words. */
  unspaced: 2,
  sentenceEnd: 3,
  newline: 4,
  comma: 5,
  /** May be a sign of code, depending on its neighbours. */
  sign: 6,
} as const

export const unitKinds = new Uint8Array(0x10000)
/** Invisible between letters: readers do not see it, but it separates words for a program. */
export const isInvisible = new Uint8Array(0x10000)

/** Each code unit at its number; surrogates are spaces here. */
const units = Array.from({ length: 0x10000 }, (_, code) =>
  (code & 0xf800) === 0xd800 ? ' ' : String.fromCharCode(code),
).join('')

const invisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]+/gu
const marks = /[\p{Mn}\p{Me}]+/gu
const spaces = /[^\S\n]+/g

/** Later ones take precedence. */
const kinds: ReadonlyArray<readonly [number, RegExp]> = [
  [unitKind.sign, /[={}\\([|&$_'"`]+/g],
  [unitKind.comma, /[,:\u3001\u060c]+/g],
  [unitKind.sentenceEnd, /[.!?;\u3002\u0964\u06d4\u061f]+/g],
  [unitKind.newline, /\n/g],
  [unitKind.word, /[\p{L}\p{Mc}\p{Nd}]+/gu],
  [
    unitKind.unspaced,
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]+/gu,
  ],
]

for (let code = 0; code < 0x10000; code++) plainFolds[code] = units.charAt(code).toLowerCase().charCodeAt(0)
fillRuns(plainFolds, spaces, 0x20)
for (const [kind, pattern] of kinds) fillRuns(unitKinds, pattern, kind)
fillRuns(isInvisible, invisible, 1)
for (const dropped of [invisible, marks]) {
  fillRuns(plainFolds, dropped, 0)
  fillRuns(unitKinds, dropped, unitKind.separator)
}
lookalikeFolds.set(plainFolds)
for (const [from, to] of latinVariants) {
  plainFolds[from] = to
  lookalikeFolds[from] = to
}
for (const [from, to] of lookalikes) lookalikeFolds[from] = to

function fillRuns(table: Uint8Array | Uint16Array, pattern: RegExp, value: number): void {
  for (const { 0: run, index } of units.matchAll(pattern)) table.fill(value, index, index + run.length)
}
