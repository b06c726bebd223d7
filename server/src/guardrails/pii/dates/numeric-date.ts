// Finds dates in digits: 2024-03-15T14:30Z, 21/05/21, 10.09.1966, 5/2021, and 7/6 if a date is expected.

import {
  type DatePart,
  type DateText,
  has,
  isDigits,
  isGluedAfter,
  isGluedBefore,
  lengthOf,
  markAt,
  touches,
  wordAt,
} from './date-text.ts'
import { dateWord } from './date-words.ts'

const hyphen = 0x2d
const dot = 0x2e
const slash = 0x2f

/** The date that begins at these digits, or null. */
export function readNumericDate(at: DateText, from: number, isExpected: boolean): DatePart | null {
  if (!isDigits(at, from) || (isGluedBefore(at, from) && !isRangeEnd(at, from))) return null
  const length = lengthOf(at, from)
  if (length === 8) return readCompact(at, from)
  const mark = markAt(at, from + 1)
  if (!isSeparator(mark)) return length === 4 ? readSpacedDate(at, from) : null
  if (!touches(at, from + 1) || !touches(at, from + 2)) return null
  if (markAt(at, from + 3) === mark && touches(at, from + 3) && touches(at, from + 4) && isDigits(at, from + 4)) {
    const whole = readThree(at, from, mark, isExpected)
    if (whole !== null) return whole
  }
  return readTwo(at, from, mark, isExpected)
}

/** The second of 10/1/2018-10/7/2018. */
function isRangeEnd(at: DateText, from: number): boolean {
  return markAt(at, from - 1) === hyphen && markAt(at, from + 1) === slash && markAt(at, from - 3) === slash
}

function isSeparator(mark: number): boolean {
  return mark === hyphen || mark === dot || mark === slash
}

function readThree(at: DateText, from: number, mark: number, isExpected: boolean): DatePart | null {
  const end = from + 5
  if (isGluedAfter(at, end) && wordAt(at, end) !== 't' && !isRangeNext(at, end)) return null
  const first = at.values[from] as number
  const second = at.values[from + 2] as number
  const third = at.values[from + 4] as number
  const isNamed = has(at, from + 2, dateWord.month)
  if (!isNamed && (!isDigits(at, from + 2) || lengthOf(at, from + 2) > 2)) return null
  if (lengthOf(at, from) === 4) {
    if (!isYear(first) || !isMonthAndDay(second, third) || lengthOf(at, from + 4) > 2) return null
    // 2023.3.2 is a version.
    if (mark === dot && (lengthOf(at, from + 2) !== 2 || lengthOf(at, from + 4) !== 2)) return null
    return { end: endOfIsoTime(at, end), score: 0.93 }
  }
  if (lengthOf(at, from) > 2 || !isMonthAndDay(second, first)) return null
  if (lengthOf(at, from + 4) === 4) return isYear(third) ? { end, score: 0.93 } : null
  if (lengthOf(at, from + 4) !== 2) return null
  if (isNamed) return { end, score: 0.9 }
  const isPadded = lengthOf(at, from) === 2 && lengthOf(at, from + 2) === 2
  return { end, score: mark === slash ? 0.78 : isExpected || (isPadded && mark === dot) ? 0.72 : 0.5 }
}

/** A hyphen, and then another date as in 10/1/2018-10/7/2018. */
function isRangeNext(at: DateText, end: number): boolean {
  return (
    markAt(at, end) === hyphen &&
    isDigits(at, end + 1) &&
    isSeparator(markAt(at, end + 2)) &&
    markAt(at, end + 2) !== hyphen
  )
}

/** T14:30:00.123+00:00 after a date. */
function endOfIsoTime(at: DateText, from: number): number {
  if (!touches(at, from) || wordAt(at, from) !== 't' || !isDigits(at, from + 1)) return from
  let end = from + 2
  for (let more = 0; more < 5; more++) {
    const mark = markAt(at, end)
    const isMore = mark === 0x3a || mark === dot || mark === 0x2b || mark === hyphen
    if (!isMore || !touches(at, end) || !touches(at, end + 1) || !isDigits(at, end + 1)) break
    end += 2
  }
  return touches(at, end) && wordAt(at, end) === 'z' ? end + 1 : end
}

/** 5/2021, 2019-11, and 7/6 if a date is expected. */
function readTwo(at: DateText, from: number, mark: number, isExpected: boolean): DatePart | null {
  const end = from + 3
  const first = at.values[from] as number
  const second = at.values[from + 2] as number
  if (!isDigits(at, from + 2)) return readYearAndPart(at, from, first)
  if (isGluedAfter(at, end) && !isRangeNext(at, end)) return null
  const [firstLength, secondLength] = [lengthOf(at, from), lengthOf(at, from + 2)]
  if (secondLength === 4 && firstLength <= 2)
    return isYear(second) && first >= 1 && first <= 12 ? scored(end, mark, 0.76) : null
  if (firstLength === 4) {
    return isYear(first) && second >= 1 && second <= 12 && secondLength <= 2
      ? scored(end, mark, secondLength === 2 || isExpected ? 0.72 : 0.5)
      : null
  }
  if (firstLength > 2 || secondLength > 2 || !isMonthAndDay(first, second)) return null
  const expected = mark === slash ? 0.8 : mark === hyphen ? 0.6 : 0.5
  return { end, score: isExpected ? expected : 0.5 }
}

function scored(end: number, mark: number, score: number): DatePart {
  return { end, score: mark === dot ? 0.4 : score }
}

/** 2019-Q1, 2017-H2. */
function readYearAndPart(at: DateText, from: number, year: number): DatePart | null {
  const part = wordAt(at, from + 2)
  const isPart =
    (part === 'q' || part === 'h') && isDigits(at, from + 3) && touches(at, from + 3) && lengthOf(at, from + 3) === 1
  return isPart && isYear(year) && lengthOf(at, from) === 4 ? { end: from + 4, score: 0.85 } : null
}

/** 20161016. */
function readCompact(at: DateText, from: number): DatePart | null {
  const value = at.values[from] as number
  const year = Math.floor(value / 10_000)
  const isDate = year >= 1950 && year <= 2049 && isMonthAndDay(Math.floor(value / 100) % 100, value % 100)
  return isDate && !isGluedAfter(at, from + 1) ? { end: from + 1, score: 0.71 } : null
}

/** 2016 10 16. */
function readSpacedDate(at: DateText, from: number): DatePart | null {
  const isWritten =
    isDigits(at, from + 1) && isDigits(at, from + 2) && lengthOf(at, from + 1) === 2 && lengthOf(at, from + 2) === 2
  if (!isWritten || isDigits(at, from + 3) || isGluedAfter(at, from + 3)) return null
  const isDate =
    isYear(at.values[from] as number) && isMonthAndDay(at.values[from + 1] as number, at.values[from + 2] as number)
  return isDate ? { end: from + 3, score: 0.72 } : null
}

export function isYear(value: number): boolean {
  return value >= 1700 && value <= 2199
}

/** Whether the numbers can be a month and a day, in either order. */
function isMonthAndDay(first: number, second: number): boolean {
  if (first < 1 || second < 1 || first > 31 || second > 31) return false
  return first <= 12 || second <= 12
}
