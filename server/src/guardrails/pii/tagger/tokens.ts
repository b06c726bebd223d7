// Cuts a text into words, numbers and single symbols, each with its position, its folded hash and its shape; blanks
// between table cells are a symbol too. Arrays of numbers instead of objects, because this is the hot loop.

import { hasColumns } from './columns.ts'
import { foldOf, kindOf, letterKind, readFold, readKind } from './letters.ts'

/** What a token looks like; numbers are `number` plus their length, at most `longestNumber`. */
export const shape = {
  symbol: 0,
  lower: 1,
  capitalised: 2,
  allCaps: 3,
  capital: 4,
  mixedCapital: 5,
  mixedLower: 6,
  uncased: 7,
  withDigits: 8,
  letter: 9,
  number: 10,
} as const
export const maxNumberLength = 6

/** What is between a token and the one before it. */
export const gap = { none: 0, space: 1, wide: 2, line: 3, paragraph: 4 } as const

export interface TaggerTokens {
  count: number
  start: Int32Array
  end: Int32Array
  /** The hash of the whole word, folded; equal for `Émile`, `EMILE` and `emile`. */
  hash: Int32Array
  /** The hashes of its first three letters, its last two and its last three. */
  prefix: Int32Array
  suffix2: Int32Array
  suffix3: Int32Array
  shape: Uint8Array
  gap: Uint8Array
}

export function createTokens(capacity: number): TaggerTokens {
  const column = (): Int32Array => new Int32Array(capacity)
  return {
    count: 0,
    start: column(),
    end: column(),
    hash: column(),
    prefix: column(),
    suffix2: column(),
    suffix3: column(),
    shape: new Uint8Array(capacity),
    gap: new Uint8Array(capacity),
  }
}

export const hashStart = 0x811c9dc5 | 0

export function hashStep(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193)
}

/** The value of `suffix3` for words with this ending, in lower case and without accents. */
export function suffixHash(ending: string): number {
  const [third, beforeLast, last] = [ending.at(-3), ending.at(-2), ending.at(-1)].map(
    letter => letter?.charCodeAt(0) ?? 0,
  )
  return hashStep(hashStep(hashStep(hashStart, beforeLast!), last!), third!)
}

/** `tokens` needs space for one token for each unit of the text. */
export function readTokens(text: string, tokens: TaggerTokens): void {
  tokens.count = 0
  let between = gap.line as number
  const areColumns = hasColumns(text)
  let blank = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    const kind = kindOf(code)
    if (kind === letterKind.space) {
      if (between === gap.none) blank = at
      between = between === gap.none ? gap.space : between === gap.space ? gap.wide : between
      at++
    } else if (kind === letterKind.newline) {
      const isPair = code === 0x0a && at > 0 && text.charCodeAt(at - 1) === 0x0d
      if (!isPair) between = between < gap.line ? gap.line : gap.paragraph
      at++
    } else {
      const isWide = between === gap.wide || (between === gap.space && text.charCodeAt(blank) === tab)
      if (isWide && tokens.count > 0 && partsCells(text, blank, at, areColumns)) {
        tokens.gap[tokens.count] = between
        addToken(tokens, blank, blank + 1, barHash, hashStart, 0, 0, shape.symbol)
      }
      tokens.gap[tokens.count] = tokens.count === 0 ? gap.line : between
      at = readToken(text, at, tokens)
      between = gap.none
    }
  }
}

const tab = 0x09
const barHash = hashStep(hashStart, 0x7c)

/** Blanks in place of a table's bar: a tab, three blanks, and two beside a number or in columns. */
function partsCells(text: string, from: number, to: number, isInColumns: boolean): boolean {
  let blanks = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === tab) return true
    if (code === 0x20 || code === 0xa0) blanks++
  }
  if (blanks !== 2) return blanks > 2
  return isInColumns || isBesideNumber(text, from, to)
}

/** A number shorter than a postal code. */
function isBesideNumber(text: string, from: number, to: number): boolean {
  let [first, last] = [from, to]
  while (from - first < 5 && kindOf(text.charCodeAt(first - 1)) === letterKind.digit) first--
  while (last - to < 5 && kindOf(text.charCodeAt(last)) === letterKind.digit) last++
  return (first < from && from - first < 5) || (last > to && last - to < 5)
}

/** Returns the end of the token that begins at `start`, and adds it to the columns. */
function readToken(text: string, start: number, tokens: TaggerTokens): number {
  let at = start
  let hash = hashStart
  let [prefix, last, beforeLast, third] = [hashStart, 0, 0, 0]
  let [lowers, uppers, digits, others, letters] = [0, 0, 0, 0, 0]
  let firstKind = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    let kind = kindOf(code)
    let fold = foldOf(code)
    let width = 1
    if ((code & 0xfc00) === 0xd800 && at + 1 < text.length) {
      const character = String.fromCodePoint(text.codePointAt(at)!)
      width = character.length
      kind = readKind(character)
      fold = readFold(character)
    }
    if (kind < letterKind.digit || kind === letterKind.symbol) {
      if (at > start) break
      addToken(tokens, start, start + width, hashStep(hash, fold), hash, 0, 0, shape.symbol)
      return start + width
    }
    at += width
    if (kind === letterKind.mark) continue
    if (letters === 0) firstKind = kind
    letters++
    hash = hashStep(hash, fold)
    if (letters <= 3) prefix = hashStep(prefix, fold)
    third = beforeLast
    beforeLast = last
    last = fold
    if (kind === letterKind.lower) lowers++
    else if (kind === letterKind.upper) uppers++
    else if (kind === letterKind.digit) digits++
    else others++
  }
  const suffix2 = hashStep(hashStep(hashStart, beforeLast), last)
  addToken(
    tokens,
    start,
    at,
    hash,
    prefix,
    suffix2,
    hashStep(suffix2, third),
    readShape(lowers, uppers, digits, others, firstKind),
  )
  return at
}

function readShape(lowers: number, uppers: number, digits: number, others: number, firstKind: number): number {
  const letters = lowers + uppers + others
  if (letters === 0) return digits === 0 ? shape.symbol : shape.number + Math.min(digits, maxNumberLength)
  if (digits > 0) return shape.withDigits
  if (others > 0) return shape.uncased
  if (uppers === 0) return lowers === 1 ? shape.letter : shape.lower
  if (lowers === 0) return uppers === 1 ? shape.capital : shape.allCaps
  if (firstKind === letterKind.lower) return shape.mixedLower
  return uppers === 1 ? shape.capitalised : shape.mixedCapital
}

function addToken(
  tokens: TaggerTokens,
  start: number,
  end: number,
  hash: number,
  prefix: number,
  suffix2: number,
  suffix3: number,
  look: number,
): void {
  const at = tokens.count++
  tokens.start[at] = start
  tokens.end[at] = end
  tokens.hash[at] = hash
  tokens.prefix[at] = prefix
  tokens.suffix2[at] = suffix2
  tokens.suffix3[at] = suffix3
  tokens.shape[at] = look
}
