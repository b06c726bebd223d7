// The tokens of a text for the date grammar: what each word may be, and the value of each number.

import { kindOfToken, type Tokens } from '../tokens.ts'

export interface DateText {
  tokens: Tokens
  /** Bits of dateWord by token; 0 for words that are not listed. */
  bits: Int32Array
  /** The value of a short digit run or a number word; -1 for anything else. */
  values: Int32Array
}

/** A part of a date: its end, in tokens, and its own score. */
export interface DatePart {
  end: number
  score: number
}

const maxNumberLength = 8

export function createDateText(maxTextLength: number): DateText {
  const tokens = { text: '', count: 0 } as Tokens
  return { tokens, bits: new Int32Array(maxTextLength + 8), values: new Int32Array(maxTextLength + 8) }
}

export function readDateText(into: DateText, tokens: Tokens, bitsOfWord: Int32Array, valueOfWord: Int32Array): void {
  into.tokens = tokens
  const { bits, values } = into
  const { count, kinds, words, starts, ends, text } = tokens
  for (let at = 0; at < count; at++) {
    const kind = kinds[at]
    bits[at] = 0
    values[at] = -1
    if (kind === kindOfToken.word) {
      const word = words[at] as number
      bits[at] = bitsOfWord[word] as number
      values[at] = valueOfWord[word] as number
    } else if (kind === kindOfToken.digits) values[at] = numberIn(text, starts[at] as number, ends[at] as number)
  }
  for (let at = count; at < count + 8; at++) {
    bits[at] = 0
    values[at] = -1
  }
}

function numberIn(text: string, start: number, end: number): number {
  if (end - start > maxNumberLength) return -1
  let value = 0
  for (let at = start; at < end; at++) value = value * 10 + text.charCodeAt(at) - 0x30
  return value
}

export function isDigits(at: DateText, token: number): boolean {
  return token < at.tokens.count && at.tokens.kinds[token] === kindOfToken.digits
}

export function lengthOf(at: DateText, token: number): number {
  return token < at.tokens.count ? (at.tokens.ends[token] as number) - (at.tokens.starts[token] as number) : 0
}

/** The code of the mark at this token, or 0. */
export function markAt(at: DateText, token: number): number {
  if (token < 0 || token >= at.tokens.count || at.tokens.kinds[token] !== kindOfToken.mark) return 0
  return at.tokens.text.charCodeAt(at.tokens.starts[token] as number)
}

/** The token after a hyphen that directly follows a word: the "March" of mid-March. */
export function afterHyphen(at: DateText, token: number): number {
  return markAt(at, token) === 0x2d && touches(at, token) ? token + 1 : token
}

/** Nothing is between this token and the one before. */
export function touches(at: DateText, token: number): boolean {
  return token > 0 && token < at.tokens.count && at.tokens.gaps[token] === 0
}

export function has(at: DateText, token: number, bit: number): boolean {
  return token >= 0 && token < at.tokens.count && ((at.bits[token] as number) & bit) !== 0
}

/** The text of a short word token in lower case, for the few words that share their bits. */
export function wordAt(at: DateText, token: number): string {
  if (token < 0 || token >= at.tokens.count || at.tokens.kinds[token] !== kindOfToken.word || lengthOf(at, token) > 16)
    return ''
  return at.tokens.text.slice(at.tokens.starts[token], at.tokens.ends[token]).toLowerCase()
}

export function isLineStart(at: DateText, token: number): boolean {
  return token >= at.tokens.count || at.tokens.gaps[token] === 2
}

/** Whether the token before is part of the same name or number: v2, 1.5, a_3. */
export function isGluedBefore(at: DateText, token: number): boolean {
  if (!touches(at, token)) return false
  const { kinds } = at.tokens
  if (kinds[token - 1] !== kindOfToken.mark) return true
  const mark = markAt(at, token - 1)
  if (mark === 0x24 || mark === 0xa3 || mark === 0x20ac || mark === 0x23 || mark === 0x5f || mark === 0x2b) return true
  const isJoint = mark === 0x2e || mark === 0x2d || mark === 0x2f || mark === 0x3a || mark === 0x2c
  if (!isJoint || !touches(at, token - 1))
    return mark === 0x2d && isDigits(at, token) && !isDigits(at, token - 2) && touches(at, token - 1)
  return kinds[token - 2] === kindOfToken.digits || (mark === 0x2e && kinds[token - 2] === kindOfToken.word)
}

/** Whether the number that ends before this token continues as a decimal, a percentage or a word: 3.5, 10%, 5GB. */
export function isGluedAfter(at: DateText, end: number): boolean {
  if (!touches(at, end)) return false
  const mark = markAt(at, end)
  if (mark === 0) return true
  if (mark === 0x25 || mark === 0x5f) return true
  const isJoint = mark === 0x2e || mark === 0x2d || mark === 0x2f || mark === 0x3a || mark === 0x2c
  return isJoint && touches(at, end + 1) && isDigits(at, end + 1)
}

/** The part with the higher score, otherwise the longer one. */
export function better(one: DatePart | null, other: DatePart | null): DatePart | null {
  if (one === null || other === null) return one ?? other
  const [isOneSure, isOtherSure] = [one.score >= 0.7, other.score >= 0.7]
  if (isOneSure !== isOtherSure) return isOneSure ? one : other
  return other.end > one.end || (other.end === one.end && other.score > one.score) ? other : one
}
