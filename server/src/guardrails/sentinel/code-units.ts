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

const invisible = /\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]/u
const mark = /\p{Mn}|\p{Me}/u
const wordUnit = /\p{L}|\p{Mc}|\p{Nd}/u
const unspacedUnit =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]/u
const sentenceEnds = '.!?;\u3002\u0964\u06d4\u061f'
const commas = ',:\u3001\u060c'
const codeSigns = '={}\\([|&$_\'"`'
const space = /\s/

for (let code = 0; code < 0x10000; code++) fillUnit(code)
for (const [from, to] of latinVariants) {
  plainFolds[from] = to
  lookalikeFolds[from] = to
}
for (const [from, to] of lookalikes) lookalikeFolds[from] = to

function fillUnit(code: number): void {
  const isSurrogate = (code & 0xf800) === 0xd800
  const character = isSurrogate ? ' ' : String.fromCharCode(code)
  isInvisible[code] = invisible.test(character) ? 1 : 0
  const isDropped = isInvisible[code] === 1 || mark.test(character)
  const lowered = character.toLowerCase().charCodeAt(0)
  const folded = isDropped ? 0 : space.test(character) && character !== '\n' ? 0x20 : lowered
  plainFolds[code] = folded
  lookalikeFolds[code] = folded
  unitKinds[code] = isDropped ? unitKind.separator : kindOf(character)
}

function kindOf(character: string): number {
  if (unspacedUnit.test(character)) return unitKind.unspaced
  if (wordUnit.test(character)) return unitKind.word
  if (character === '\n') return unitKind.newline
  if (sentenceEnds.includes(character)) return unitKind.sentenceEnd
  if (commas.includes(character)) return unitKind.comma
  return codeSigns.includes(character) ? unitKind.sign : unitKind.separator
}
