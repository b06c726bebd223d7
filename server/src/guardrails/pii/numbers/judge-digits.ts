// Classifies a group of digits: card, social security, account or telephone. The form suggests a class, and the words
// beside it decide, the nearest one most. Scores are those of the table in docs.

import type { Finding } from '../../finding.ts'
import { passesLuhn } from '../checksums.ts'
import type { Surroundings } from '../context.ts'
import { context } from '../context-words.ts'
import { isCard, isCardGrouping } from './card.ts'
import { isFraction } from './decimals.ts'
import { type DigitGroups, isDigit, separator } from './digit-groups.ts'
import { endOfExtension, type PhoneForm, readPhone } from './phone.ts'
import { isSampleSsn, isSsn } from './ssn.ts'

const minDigits = 6

/** Whether the groups are long enough to be classified. */
export function readsAsNumber(groups: DigitGroups): boolean {
  return groups.digits.length >= minDigits
}

/** The best class, or null. `around` reads the words beside a number that ends at an offset. */
export function judgeDigits(text: string, groups: DigitGroups, around: (end: number) => Surroundings): Finding | null {
  if (isFraction(text, groups, end => around(end).isCell)) return null
  const card = judgeCard(text, groups, around)
  if (card !== null && card.score >= 0.5) return card
  if (groups.isDecimal) return judgePhone(text, groups, around)
  const ssn = judgeSsn(text, groups, around)
  const bank = judgeBank(text, groups, around)
  const phone = judgePhone(text, groups, around)
  return best(best(ssn, bank), phone)
}

function best(one: Finding | null, other: Finding | null): Finding | null {
  if (one === null || other === null) return one ?? other
  return other.score > one.score ? other : one
}

/** A number may end here: no letter or digit follows directly. */
function isCleanEnd(text: string, end: number): boolean {
  const next = text.charCodeAt(end)
  if (isWordCode(next) || next === 0x25) return false
  const isJoint = next === 0x2d || next === 0x2e || next === 0x2f
  return !(isJoint && isDigit(text.charCodeAt(end + 1)))
}

function isWordCode(code: number): boolean {
  return (
    isDigit(code) ||
    ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) ||
    code === 0x5f ||
    (code >= 0xc0 && code < 0x2000)
  )
}

function endOf(groups: DigitGroups, count: number): number {
  return groups.ends[count - 1] as number
}

/** A mark that connects digits to a word: a hyphen, an underscore, a dash. */
export function isJoint(code: number): boolean {
  return code === 0x2d || code === 0x5f || isDash(code)
}

export function isDash(code: number): boolean {
  return code === 0x2013 || code === 0x2014
}

export function judgeCard(text: string, groups: DigitGroups, around: (end: number) => Surroundings): Finding | null {
  // A number in international form can pass the check by chance.
  if (text.charCodeAt(groups.start - 1) === 0x2b) return null
  let total = 0
  const lengths: number[] = []
  for (let at = 0; at < groups.count && total < 19; at++) {
    const parted = groups.separators[at]
    if (at > 0 && (parted !== groups.separators[1] || (parted !== separator.space && parted !== separator.hyphen)))
      break
    const length = groups.lengths[at] as number
    total += length
    lengths.push(length)
    if (total < 12 || total > 19 || !isCardGrouping(lengths)) continue
    const end = endOf(groups, at + 1)
    const digits = groups.digits.slice(0, total)
    if (!isCleanEnd(text, end) || !passesLuhn(digits)) continue
    const score = scoreCard(digits, at > 0, around(end)) - (isJoint(text.charCodeAt(groups.start - 1)) ? 0.2 : 0)
    return { start: groups.start, end, type: 'CREDIT_CARD', score }
  }
  return null
}

function scoreCard(digits: string, isGrouped: boolean, around: Surroundings): number {
  const { nearest, near, after, tail } = around
  // Accounts and telephones have as many digits as a short card, and one in ten passes its check.
  const isShortOfOther = digits.length < 15 && (nearest & (context.bank | context.phone)) !== 0
  const isOfOther = isShortOfOther || (!isGrouped && isBankAccount(around))
  const isNamed = ((isOfOther ? near | tail : nearest | near | after) & context.card) !== 0
  if (!isCard(digits)) return isNamed && !isOfOther && digits.length >= 13 ? 0.8 : 0.2
  if (isNamed) return 0.98
  if (isOfOther) return 0.4
  const isOtherNumber = (nearest & (context.otherNumber | context.routing)) !== 0
  if (isOtherNumber) return isGrouped ? 0.75 : digits.length === 16 ? 0.72 : 0.5
  if (isGrouped) return 0.92
  return digits.length >= 16 ? 0.85 : 0.75
}

/** "bank account number", without a word for cards anywhere near. */
function isBankAccount({ near, before, after }: Surroundings): boolean {
  const isAccount = (near & context.accountNoun) !== 0 && (near & context.accountKind) !== 0
  return isAccount && ((before | after) & context.card) === 0
}

function judgeSsn(text: string, groups: DigitGroups, around: (end: number) => Surroundings): Finding | null {
  const { lengths, separators, digits } = groups
  const isWritten =
    groups.narrowCount >= 3 &&
    lengths[0] === 3 &&
    lengths[1] === 2 &&
    lengths[2] === 4 &&
    separators[1] === separators[2]
  const count = isWritten ? 3 : groups.narrowCount
  const value = digits.slice(0, isWritten ? 9 : groups.narrowLength)
  if (value.length !== 9 || !isSsn(value)) return null
  const end = endOf(groups, count)
  if (!isCleanEnd(text, end)) return null
  const alone = !isWritten
    ? 0.2
    : separators[1] === separator.hyphen
      ? 0.85
      : separators[1] === separator.space
        ? 0.76
        : 0.72
  return { start: groups.start, end, type: 'US_SSN', score: scoreSsn(alone, isSampleSsn(value), around(end)) }
}

function scoreSsn(alone: number, isSample: boolean, around: Surroundings): number {
  if (((around.nearest | around.near) & context.ssn) !== 0) return 0.95
  if ((around.before & context.ssn) !== 0) return Math.max(alone, 0.8)
  if (isSample) return Math.min(alone, 0.6)
  return (around.nearest & (context.otherNumber | context.phone)) !== 0 && alone < 0.85 ? 0.5 : alone
}

function judgeBank(text: string, groups: DigitGroups, around: (end: number) => Surroundings): Finding | null {
  const length = groups.narrowLength
  if (length < minDigits || length > 17) return null
  for (let at = 1; at < groups.narrowCount; at++) {
    const parted = groups.separators[at]
    if (parted !== groups.separators[1] || (parted !== separator.space && parted !== separator.hyphen)) return null
  }
  const end = endOf(groups, groups.narrowCount)
  if (!isCleanEnd(text, end)) return null
  const score = scoreBank(length, groups.narrowCount > 1, around(end))
  return score === 0 ? null : { start: groups.start, end, type: 'US_BANK_NUMBER', score }
}

function scoreBank(digits: number, isGrouped: boolean, around: Surroundings): number {
  const { nearest, near, before } = around
  if ((nearest & context.bank) === 0 || ((near & context.notBank) !== 0 && (before & context.weakBank) === 0)) return 0
  if (digits < 8 && (near & context.bank) === 0) return 0
  const isSure = (near & context.bank) !== 0
  return (isSure ? 0.9 : 0.8) - (isGrouped ? 0.05 : 0)
}

function judgePhone(text: string, groups: DigitGroups, around: (end: number) => Surroundings): Finding | null {
  const start = startOfPhone(text, groups.start)
  const hasPlus = text.charCodeAt(start) === 0x2b || text.charCodeAt(start + 1) === 0x2b
  const isInParens = text.charCodeAt(start) === 0x28
  if (hasPlus && isWordCode(text.charCodeAt(start - 1)) && isDigit(text.charCodeAt(start - 1))) return null
  if (isNegative(text, groups)) return null
  const form = readPhone(groups, hasPlus, isInParens)
  if (form.groups === 0) return null
  const digitsEnd = endOf(groups, form.groups)
  const end = endOfExtension(text, digitsEnd)
  if (end === digitsEnd && !isCleanEnd(text, end)) return null
  const isStreet = !hasPlus && !isInParens && form.alone < 0.8 && startsName(text, end)
  const isLong = groups.digits.length >= 9 || form.groups > 1
  const { alone, beside } = form
  const isLabelled = foreignLabel.test(text.slice(Math.max(0, start - 8), start))
  const isDecimal = groups.isDecimal && !hasPlus
  const score = isLabelled
    ? beside
    : isDecimal
      ? scoreDecimal(form, around(end))
      : scorePhone(alone - (isStreet ? 0.1 : 0), beside, form.groups > 1 || hasPlus, isLong, around(end))
  return { start, end, type: 'PHONE_NUMBER', score }
}

/** = -4155550132 and [-4155550132]: a minus sign after a mark that opens or separates values. */
function isNegative(text: string, { start, count }: DigitGroups): boolean {
  if (count !== 1 || text.charCodeAt(start - 1) !== 0x2d) return false
  const before = text.charCodeAt(start - 2)
  return beforeMinus.has(before === 0x20 ? text.charCodeAt(start - 3) : before)
}

const beforeMinus = new Set([...'=([,'].map(sign => sign.charCodeAt(0)))

function scoreDecimal({ alone, beside }: PhoneForm, { nearest }: Surroundings): number {
  return (nearest & context.phone) !== 0 ? beside : alone
}

/** Labels of telephone numbers in languages without blanks between words. */
const foreignLabel = /电话|手机|電話|手機|携帯|전화|휴대/

/** A blank and a capital: 1234 Main Street. */
function startsName(text: string, end: number): boolean {
  const next = text.charCodeAt(end + 1)
  const isLower = (text.charCodeAt(end + 2) & 0x60) === 0x60
  return text.charCodeAt(end) === 0x20 && next >= 0x41 && next <= 0x5a && isLower
}

function scorePhone(alone: number, beside: number, isGrouped: boolean, isLong: boolean, around: Surroundings): number {
  const { nearest, near, tail } = around
  if ((nearest & context.phone) !== 0 || (tail & context.phone) !== 0) return beside
  if ((tail & context.phoneTail) !== 0 && isGrouped) return beside
  const isOther = (nearest & ~context.phone & ~context.amount) !== 0
  if (!isOther && isLong && ((near | tail) & context.maybePhone) !== 0) {
    return Math.max(alone, isGrouped ? beside - 0.08 : beside - 0.14)
  }
  // "My number is 07700 900123."
  if (!isOther && isLong && alone >= 0.5 && (near & context.number) !== 0) return Math.max(alone, 0.74)
  return isOther ? alone - 0.2 : alone
}

/** Includes the plus and the bracket before the first digit. */
function startOfPhone(text: string, start: number): number {
  let at = start
  if (text.charCodeAt(at - 1) === 0x20 && text.charCodeAt(at - 2) === 0x28) at--
  if (text.charCodeAt(at - 1) === 0x2b) at--
  return text.charCodeAt(at - 1) === 0x28 ? at - 1 : at < start && text.charCodeAt(at) === 0x20 ? start : at
}
