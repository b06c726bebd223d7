// Finds numbers dictated digit by digit: "four one five, five five five, zero one three two". A run of digit words is a
// card by its check digit, otherwise a telephone or social security number by the words before it.

import type { Finding } from '../../finding.ts'
import type { Surroundings } from '../context.ts'
import { context } from '../context-words.ts'
import { kindOfToken, type Tokens } from '../tokens.ts'
import { isCard } from './card.ts'
import { isSsn } from './ssn.ts'

export const digitWords = 'zero one two three four five six seven eight nine'.split(' ')
const minDigits = 7
const maxDigits = 24

export interface SpokenRun {
  digits: string
  /** The token after the last one. */
  next: number
}

/** The run of digit words that begins at this token. `digitOfWord` is by word number, -1 for all others. */
export function readSpokenDigits(tokens: Tokens, digitOfWord: Int8Array, from: number): SpokenRun {
  let digits = ''
  let next = from
  let at = from
  while (at < tokens.count && digits.length <= maxDigits) {
    const isWord = tokens.kinds[at] === kindOfToken.word
    const digit = isWord ? (digitOfWord[tokens.words[at] as number] as number) : -1
    if (digit >= 0) {
      digits += String(digit)
      next = at + 1
    } else if (isWord || tokens.kinds[at] === kindOfToken.digits || at > next + 1) break
    at++
  }
  return { digits, next }
}

export function judgeSpokenDigits(
  tokens: Tokens,
  from: number,
  run: SpokenRun,
  around: () => Surroundings,
): Finding | null {
  const { digits, next } = run
  if (digits.length < minDigits || digits.length > maxDigits) return null
  const start = tokens.starts[from] as number
  const end = tokens.ends[next - 1] as number
  if (isCard(digits)) return { start, end, type: 'CREDIT_CARD', score: 0.9 }
  const { nearest, near } = around()
  if (isSsn(digits) && (nearest & context.ssn) !== 0) return { start, end, type: 'US_SSN', score: 0.9 }
  if ((nearest & context.bank) !== 0 && digits.length >= 8) return { start, end, type: 'US_BANK_NUMBER', score: 0.8 }
  if (digits.length > 13) return null
  const isNamed = ((nearest | near) & (context.phone | context.maybePhone)) !== 0
  return { start, end, type: 'PHONE_NUMBER', score: isNamed ? 0.85 : digits.length === 10 ? 0.72 : 0.4 }
}
