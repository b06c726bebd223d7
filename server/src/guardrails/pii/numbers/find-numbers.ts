// Reads every number of a text once: network addresses, IBANs, and digit groups that are then classified. Each number
// costs a bounded number of steps.

import type { Finding } from '../../finding.ts'
import { readSurroundings, type Surroundings } from '../context.ts'
import { context } from '../context-words.ts'
import { kindOfToken, type Tokens } from '../tokens.ts'
import { createDigitGroups, isDigit, readDigitGroups } from './digit-groups.ts'
import { findIbanAt } from './iban.ts'
import { endOfIpv4, endOfIpv6, endOfNetwork, startOfIpv6 } from './ip-address.ts'
import { isDash, isJoint, judgeCard, judgeDigits, readsAsNumber } from './judge-digits.ts'
import { scoreIpv4, scoreIpv6 } from './score-ip.ts'
import { judgeSpokenDigits, readSpokenDigits } from './spoken-digits.ts'
import { createTableColumns } from './table-columns.ts'

/** The bits that count as a number's nearest label. */
const labels =
  context.phone |
  context.card |
  context.ssn |
  context.bank |
  context.iban |
  context.otherNumber |
  context.routing |
  context.amount

const groups = createDigitGroups()
const columns = createTableColumns()
/** The cost of rejecting a place, and the maximum cost of reading an address. */
const stepsToBegin = 8
const stepsToRead = 48

/** The bits of words, by word number. */
export interface NumberWords {
  bits: Uint32Array
  /** 0 to 9 for the words of single digits, otherwise -1. */
  digits: Int8Array
}

/** Adds its matches, including those below the threshold, in the order of the text. */
export function findNumbers(tokens: Tokens, words: NumberWords, finds: Finding[]): void {
  const bitsOfWord = words.bits
  columns.reset(tokens)
  const { text, kinds, starts } = tokens
  let done = 0
  for (let at = 0; at < tokens.count; at++) {
    const start = starts[at] as number
    if (start < done) continue
    let found: Finding | null = null
    if (kinds[at] === kindOfToken.digits) found = findAtDigits(tokens, bitsOfWord, at)
    else if (kinds[at] === kindOfToken.word) {
      if ((words.digits[tokens.words[at] as number] as number) < 0) continue
      const run = readSpokenDigits(tokens, words.digits, at)
      found = judgeSpokenDigits(tokens, at, run, () => readSurroundings(tokens, bitsOfWord, at, run.next, labels))
      done = tokens.ends[run.next - 1] as number
      tokens.steps += run.digits.length
    } else if (kinds[at] === kindOfToken.mark && text.charCodeAt(start) === 0x3a)
      found = findAtColon(tokens, bitsOfWord, at)
    if (found === null) continue
    finds.push(found)
    done = found.end
  }
}

function findAtDigits(tokens: Tokens, bitsOfWord: Uint32Array, at: number): Finding | null {
  const { text, starts, ends } = tokens
  const start = starts[at] as number
  const around = (end: number): Surroundings => surroundingsOf(tokens, bitsOfWord, at, end)
  const iban = findIban(tokens, at)
  if (iban !== null) return iban
  const end = ends[at] as number
  if (end - start <= 3 && text.charCodeAt(end) === 0x2e && mayBeginQuad(text, start)) {
    const ipEnd = endOfIpv4(text, start)
    if (ipEnd !== -1) {
      const score = scoreIpv4(text, start, ipEnd, around(ipEnd))
      return { start, end: endOfNetwork(text, ipEnd, true), type: 'IP_ADDRESS', score }
    }
  }
  const isOwn = mayBegin(text, start)
  if (!isOwn && !hangsOnWord(text, start)) return null
  readDigitGroups(groups, text, start, end)
  tokens.steps += stepsToBegin + 2 * groups.digits.length
  if (!readsAsNumber(groups)) return null
  return isOwn ? judgeDigits(text, groups, around) : judgeCard(text, groups, around)
}

function surroundingsOf(tokens: Tokens, bitsOfWord: Uint32Array, at: number, end: number): Surroundings {
  let next = at
  while (next < tokens.count && (tokens.starts[next] as number) < end) next++
  const head = columns.headOf(bitsOfWord, tokens.starts[at] as number, end)
  if (head !== -1) return { nearest: head, near: head, before: head, after: 0, tail: 0, isCell: true }
  return readSurroundings(tokens, bitsOfWord, at, next, labels)
}

/** Two letters directly before the digits, and nothing directly before the letters. */
function findIban(tokens: Tokens, at: number): Finding | null {
  const { text, starts, kinds, gaps } = tokens
  if (at === 0 || gaps[at] !== 0 || kinds[at - 1] !== kindOfToken.word) return null
  const start = starts[at - 1] as number
  if ((starts[at] as number) - start !== 2 || continuesName(text.charCodeAt(start - 1))) return null
  const found = findIbanAt(text, start)
  return found === null ? null : { start, end: found.end, type: 'IBAN_CODE', score: 0.98 }
}

function findAtColon(tokens: Tokens, bitsOfWord: Uint32Array, at: number): Finding | null {
  const { text, starts } = tokens
  const colon = starts[at] as number
  const start = startOfIpv6(text, colon)
  tokens.steps += start === -1 ? stepsToBegin : stepsToRead
  if (start === -1 || (start === colon && text.charCodeAt(colon + 1) !== 0x3a)) return null
  const end = endOfIpv6(text, start)
  if (end === -1) return null
  const score = scoreIpv6(text, start, end, surroundingsOf(tokens, bitsOfWord, at, end))
  return { start, end: endOfNetwork(text, end, false), type: 'IP_ADDRESS', score }
}

/** Digits that continue a word, a price or another number do not begin a number. */
function mayBegin(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1)
  if (Number.isNaN(before)) return true
  if (isDash(before)) return !continuesName(text.charCodeAt(start - 2))
  if (continuesName(before)) return before >= 0x2e80
  switch (before) {
    case 0x24: // $
    case 0xa3: // £
    case 0x20ac: // €
    case 0x2a: // *
      return false
    case 0x2d: // -
    case 0x2e: // .
    case 0x2f: // /
    case 0x2b: // +
      return !continuesName(text.charCodeAt(start - 2)) && text.charCodeAt(start - 2) !== 0x29
    case 0x3a: // :
    case 0x2c: // ,
      return !(isDigit(text.charCodeAt(start - 2)) && before === 0x3a)
    default:
      return true
  }
}

/** visa-4111…, my_card_4111…: the form of order numbers, unless it has the form of a card. */
function hangsOnWord(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 2)
  return isJoint(text.charCodeAt(start - 1)) && isLetter(before) && !isDash(before)
}

function mayBeginQuad(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1)
  return !continuesName(before) && before !== 0x2e
}

function continuesName(code: number): boolean {
  return isDigit(code) || isLetter(code) || code === 0x5f
}

function isLetter(code: number): boolean {
  return ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) || code >= 0xc0
}
