// Recognises telephone numbers by form: international by calling code, North American, and other national forms.
// Returns the score of the form alone, and its score beside the word "phone".

import { findCallingCode, isNationalLength } from './country-codes.ts'
import { type DigitGroups, isDigit, isWide, separator } from './digit-groups.ts'

export interface PhoneForm {
  /** How many of the groups belong to it. */
  groups: number
  /** The score of the form alone, and beside a word for telephones. */
  alone: number
  beside: number
}

const nothing: PhoneForm = { groups: 0, alone: 0, beside: 0 }

/** The phone number at the beginning of these groups. */
export function readPhone(groups: DigitGroups, hasPlus: boolean, isInParens: boolean): PhoneForm {
  if (groups.isDecimal) return readDecimal(groups, hasPlus)
  if (hasPlus) return readInternational(groups, 0, 0.85, 0.95)
  const northAmerican = readNorthAmerican(groups, isInParens)
  if (northAmerican.groups > 0) return northAmerican
  if (groups.digits.startsWith('00') && !groups.digits.startsWith('000')) {
    const international = readInternational(groups, 2, groups.count > 1 ? 0.75 : 0.5, 0.92)
    if (international.groups > 0) return international
  }
  // 011 is the prefix of calls abroad from North America.
  if (groups.digits.startsWith('011') && groups.count > 2) {
    const dialled = readInternational(groups, 3, 0.6, 0.9)
    if (dialled.groups > 0) return dialled
  }
  return readNational(groups, isInParens)
}

/**
 * A decimal number is not a phone number, except after a plus and a calling code, or in a form that is written with one
 * dot: then only with a label.
 */
function readDecimal(groups: DigitGroups, hasPlus: boolean): PhoneForm {
  const { lengths, digits, count } = groups
  if (hasPlus) {
    return findCallingCode(digits).length === lengths[0] ? readInternational(groups, 0, 0.85, 0.95) : nothing
  }
  const northAmerican = readNorthAmerican(groups, false)
  if (northAmerican.groups > 0) return { ...northAmerican, alone: 0.3 }
  const [first, second] = lengths
  const isLocal = first === 3 && (second === 4 || second === 7) && isAreaOrExchange(digits, 0)
  const isWhole = first === 1 && second === 10 && digits.startsWith('1') && isAreaOrExchange(digits, 1)
  return count > 1 && (isLocal || isWhole) ? { groups: 2, alone: 0.3, beside: 0.88 } : nothing
}

/** With + or 00 before it: the code, possibly a zero that is not dialled, and as many digits as that country uses. */
function readInternational(groups: DigitGroups, skip: number, alone: number, beside: number): PhoneForm {
  const digits = groups.digits.slice(skip)
  const code = findCallingCode(digits)
  if (code === '') return nothing
  for (let count = groups.count, total = digits.length; count > 0; count--) {
    const national = isCut(groups, count) ? 0 : total - code.length
    const hasTrunkZero = digits.charAt(code.length) === '0'
    if (isNationalLength(code, national) || (hasTrunkZero && isNationalLength(code, national - 1))) {
      return { groups: count, alone, beside }
    }
    total -= groups.lengths[count - 1] as number
  }
  return readLoosely(groups, digits.length, beside - 0.1)
}

/** The following digits belong to these groups: a hyphen and more digits. */
function isCut(groups: DigitGroups, count: number): boolean {
  const next = count < groups.count ? groups.separators[count] : separator.none
  return next === separator.hyphen || next === separator.dot || next === separator.slash
}

/** A number that breaks its country's rules still counts if the text calls it a phone number. */
function readLoosely(groups: DigitGroups, digits: number, beside: number): PhoneForm {
  return digits >= 7 && digits <= 16 && hasPhoneGaps(groups, groups.count)
    ? { groups: groups.count, alone: 0.5, beside }
    : nothing
}

/** 3-3-4, possibly with 1 before it; numbers that no exchange there has score lower. */
function readNorthAmerican(groups: DigitGroups, isInParens: boolean): PhoneForm {
  const { lengths, digits } = groups
  const prefix =
    digits.startsWith('001') && lengths[0] === 3 && lengths[1] === 3 && lengths[2] === 3
      ? 3
      : lengths[0] === 1 && digits.startsWith('1')
        ? 1
        : 0
  const first = prefix === 0 ? 0 : 1
  if (groups.count < first + 3 || lengths[first] !== 3 || lengths[first + 1] !== 3 || lengths[first + 2] !== 4) {
    return readJoinedNorthAmerican(groups)
  }
  const [before, second] = [groups.separators[first + 1] as number, groups.separators[first + 2] as number]
  const isSlashed = before === separator.slash && second !== separator.hyphen
  if (isSlashed || second === separator.slash || second === separator.close) return nothing
  if (second === separator.wideSlash) return nothing
  const isDialable = isAreaOrExchange(digits, prefix) && isAreaOrExchange(digits, prefix + 3)
  const isSpaced = second === separator.space && before === separator.space && !isInParens && prefix === 0
  // 415 - 555 - 2671 may be a subtraction.
  const isOpen = !isInParens && (isWide(before) || isWide(second))
  const alone = isOpen ? 0.5 : isDialable ? (isSpaced ? 0.75 : 0.85) : isSpaced ? 0.5 : 0.74
  return { groups: first + 3, alone, beside: isDialable ? 0.95 : 0.9 }
}

/** The rest as one run after an area code in brackets: (555)1234567. 1(516)733-3989 is read elsewhere. */
function readJoinedNorthAmerican(groups: DigitGroups): PhoneForm {
  const isJoined = groups.count >= 2 && groups.lengths[0] === 3 && groups.lengths[1] === 7
  if (!isJoined || !isAreaOrExchange(groups.digits, 0) || !isAreaOrExchange(groups.digits, 3)) return nothing
  return { groups: 2, alone: groups.separators[1] === separator.close ? 0.75 : 0.55, beside: 0.92 }
}

function isAreaOrExchange(digits: string, at: number): boolean {
  return digits.charAt(at) >= '2'
}

/** National forms of the rest of the world: mostly a leading zero, in groups. */
function readNational(groups: DigitGroups, isInParens: boolean): PhoneForm {
  let count = groups.count
  let total = groups.digits.length
  for (; count > 0; count--) {
    if (total <= 13 && total >= 6 && hasPhoneGaps(groups, count) && !isDateLike(groups, count)) break
    total -= groups.lengths[count - 1] as number
  }
  if (count === 0 || (total < 6 && count < 2)) return nothing
  // A zero and a dot begin a version.
  const isVersion = groups.lengths[0] === 1 && groups.separators[1] === separator.dot
  const startsWithZero = groups.digits.charAt(0) === '0' && groups.digits.charAt(1) !== '0' && !isVersion
  if (hasWide(groups, count)) {
    // 0500 / 10000 is a share of a whole.
    return { groups: count, alone: startsWithZero && total >= 10 ? 0.76 : 0.3, beside: startsWithZero ? 0.88 : 0.74 }
  }
  const isLong = total >= 9 && total <= 11
  const beside = total < 7 && count === 1 ? 0.72 : 0.88
  if (count === 1) return { groups: 1, alone: startsWithZero && isLong ? 0.5 : 0.35, beside }
  const isParted = isInParens || startsWithZero
  return {
    groups: count,
    alone: isParted && isLong && startsWithZero ? 0.76 : isInParens && total >= 9 ? 0.72 : 0.45,
    beside,
  }
}

/** A slash only after the first group, no single digits, at most as many groups as numbers have. */
function hasPhoneGaps(groups: DigitGroups, count: number): boolean {
  if (count > 6) return false
  let singles = 0
  for (let at = 0; at < count; at++) {
    if (groups.lengths[at] === 1) singles++
    if (at > 1 && groups.separators[at] === separator.slash) return false
    if (at > 1 && isWide(groups.separators[at] as number) && !isWideAgain(groups, at)) return false
  }
  return singles < 2 && !isWideRange(groups, count)
}

/** 0221 - 47 - 1188: the same wide hyphen as after the first group. */
function isWideAgain({ separators }: DigitGroups, at: number): boolean {
  return separators[at] === separator.wideHyphen && separators[1] === separator.wideHyphen
}

/** Only an area code of three to five digits stands before a wide separator; 0900 - 1700 is a range. */
function isWideRange({ lengths, separators }: DigitGroups, count: number): boolean {
  const [first = 0, second = 0] = lengths
  return count > 1 && isWide(separators[1] as number) && (first < 3 || first > 5 || (count === 2 && first === second))
}

function hasWide({ separators }: DigitGroups, count: number): boolean {
  return count > 1 && isWide(separators[1] as number)
}

function isDateLike(groups: DigitGroups, count: number): boolean {
  const [first = 0, second = 0, third = 0] = groups.lengths
  if (count < 3)
    return count === 2 && first === 4 && second === 4 && isYear(groups.digits, 0) && isYear(groups.digits, 4)
  return (
    (first <= 2 && second <= 2 && third === 4 && isYear(groups.digits, first + second)) ||
    (first === 4 && second <= 2 && third <= 2 && isYear(groups.digits, 0))
  )
}

function isYear(digits: string, at: number): boolean {
  const century = digits.slice(at, at + 2)
  return century === '19' || century === '20'
}

/** The end of "ext. 123" or "x123" after a number; without one, `end`. */
export function endOfExtension(text: string, end: number): number {
  let at = end
  if (text.charCodeAt(at) === 0x20) at++
  const word =
    /^(?:extension|ext|x)\b\.? ?/i.exec(text.slice(at, at + 14)) ?? /^(?:ext|x)(?=\d)/i.exec(text.slice(at, at + 4))
  if (word === null) return end
  const from = at + word[0].length
  let to = from
  while (to - from < 7 && isDigit(text.charCodeAt(to))) to++
  return to > from && to - from < 7 && !isLetter(text.charCodeAt(to)) ? to : end
}

function isLetter(code: number): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
}
