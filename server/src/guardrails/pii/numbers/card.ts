// Checks payment card numbers: issuer, length and check digit.

import { passesLuhn } from '../checksums.ts'

/** First digits from and to, and the lengths of that issuer. */
const issuers: readonly (readonly [from: number, to: number, lengths: readonly number[]])[] = [
  [4, 4, [13, 16, 19]],
  [51, 55, [16]],
  [2221, 2720, [16]],
  [34, 34, [15]],
  [37, 37, [15]],
  [6011, 6011, [16, 17, 18, 19]],
  [644, 649, [16, 17, 18, 19]],
  [65, 65, [16, 17, 18, 19]],
  [62, 62, [16, 17, 18, 19]],
  [81, 82, [16, 17, 18, 19]],
  [3528, 3589, [17, 18, 19]],
  [35, 35, [16]],
  [2131, 2131, [15]],
  [1800, 1800, [15]],
  [300, 305, [14, 16]],
  [3095, 3095, [14, 16]],
  [36, 36, [14, 16]],
  [38, 39, [14, 16]],
  [5018, 5018, [12, 13, 14, 15, 16, 17, 18, 19]],
  [5019, 5019, [16]],
  [5020, 5020, [12, 13, 14, 15, 16, 17, 18, 19]],
  [5038, 5038, [12, 13, 14, 15, 16, 17, 18, 19]],
  [5061, 5063, [16, 18, 19]],
  [508, 508, [16]],
  [5893, 5893, [12, 13, 14, 15, 16, 17, 18, 19]],
  [6062, 6062, [16, 19]],
  [60, 60, [16]],
  [6304, 6304, [12, 13, 14, 15, 16, 17, 18, 19]],
  [636, 639, [16, 18, 19]],
  [6759, 6759, [12, 13, 14, 15, 16, 17, 18, 19]],
  [676, 677, [12, 13, 14, 15, 16, 17, 18, 19]],
  [2200, 2204, [16, 17, 18, 19]],
  [9792, 9792, [16]],
  [1, 1, [15]],
]

/** Whether these digits could be a card: a known issuer, one of its lengths, a correct check digit. */
export function isCard(digits: string): boolean {
  return hasIssuer(digits) && passesLuhn(digits)
}

function hasIssuer(digits: string): boolean {
  const first = Number(digits.slice(0, 4))
  for (const [from, to, lengths] of issuers) {
    const scale = from < 10 ? 1_000 : from < 100 ? 100 : from < 1_000 ? 10 : 1
    const prefix = Math.floor(first / scale)
    if (prefix >= from && prefix <= to && lengths.includes(digits.length)) return true
  }
  return false
}

const groupings = [
  '4-4-4-4',
  '4-6-5',
  '4-6-4',
  '4-4-4-4-3',
  '4-4-4-1',
  '6-13',
  '8-8',
  '4-4-5',
  '6-4-4-2',
  '4-4-4-3',
  '4-4-4-2',
]

/** Whether card numbers are written in groups of these lengths. */
export function isCardGrouping(lengths: readonly number[]): boolean {
  return lengths.length === 1 || groupings.includes(lengths.join('-'))
}
