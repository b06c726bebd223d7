// Classifies UTF-16 units for the tagger, and folds them for comparison: lower case, without accents. The tables are
// filled on first use, so that a process that tags nothing has none.

import { normalForm } from '../../../domain/normal-form.ts'

export const letterKind = {
  space: 1,
  newline: 2,
  digit: 3,
  lower: 4,
  upper: 5,
  uncased: 6,
  mark: 7,
  symbol: 8,
} as const

const kinds = new Uint8Array(128)
const folded = new Uint16Array(128)
let farKinds: Uint8Array | undefined
let farFolded: Uint16Array | undefined

/** Letters that Unicode does not decompose, though people write them with and without the stroke. */
const undivided = new Map(
  [...'łløođdæaœoßsıiþtðdħh'].flatMap((to, at, all) => (at % 2 === 1 ? [[all[at - 1], to]] : [])),
)

/** For units of the basic plane; halves of surrogate pairs count as symbols. */
export function kindOf(code: number): number {
  if (code < 128) return kinds[code] || fillNear(code)
  farKinds ??= new Uint8Array(65_536)
  return farKinds[code] || fillFar(code)
}

/** The unit that replaces it in comparisons; 0 for marks, which are ignored. */
export function foldOf(code: number): number {
  if (kindOf(code) === letterKind.mark) return 0
  return code < 128 ? folded[code]! : (farFolded?.[code] ?? code)
}

function fillNear(code: number): number {
  const character = String.fromCharCode(code)
  kinds[code] = readKind(character)
  folded[code] = readFold(character)
  return kinds[code]
}

function fillFar(code: number): number {
  const character = String.fromCharCode(code)
  farKinds ??= new Uint8Array(65_536)
  farFolded ??= new Uint16Array(65_536)
  farKinds[code] = readKind(character)
  farFolded[code] = readFold(character)
  return farKinds[code]
}

/** Also for a character outside the basic plane. */
export function readKind(character: string): number {
  if (/^[\n\r\u2028\u2029]/u.test(character)) return letterKind.newline
  if (/^\s/u.test(character)) return letterKind.space
  if (/^\p{Nd}/u.test(character)) return letterKind.digit
  if (/^[\p{M}\p{Cf}]/u.test(character)) return letterKind.mark
  if (/^\p{Lu}/u.test(character)) return letterKind.upper
  if (/^\p{Ll}/u.test(character)) return letterKind.lower
  return /^[\p{L}\p{Nl}]/u.test(character) ? letterKind.uncased : letterKind.symbol
}

export function readFold(character: string): number {
  const plain = normalForm(character, 'NFKD').toLowerCase()
  const first = undivided.get(plain[0]!) ?? plain[0]!
  return first === '’' || first === 'ʼ' ? 0x27 : first.charCodeAt(0)
}
