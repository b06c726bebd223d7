// Finds ranges whose first half is a bare number, and the bare numbers that may end one: 5 to 6pm, 9 to 12 of June,
// Monday 3-8.

import { isCounted, isLed, isRangeMark } from './bare-years.ts'
import { readCalendarDate } from './calendar.ts'
import { readTime } from './clock.ts'
import {
  better,
  type DatePart,
  type DateText,
  has,
  isDigits,
  isGluedAfter,
  isGluedBefore,
  isLineStart,
  lengthOf,
  markAt,
  touches,
  wordAt,
} from './date-text.ts'
import { dateWord } from './date-words.ts'
import { isYear } from './numeric-date.ts'

/** 5 to 6pm, 9 to 12 of June, 3-8pm, 2014-2018: the second half determines what the first one is. */
export function readRangeStart(at: DateText, from: number): DatePart | null {
  if (!isDigits(at, from) && !has(at, from, dateWord.cardinal)) return null
  if (isGluedBefore(at, from)) return null
  const isFigure = isDigits(at, from)
  const length = lengthOf(at, from)
  if (isFigure && length > 2) return readYears(at, from)
  const value = at.values[from] as number
  if (value < 1 || value > 31) return null
  const isMinute = markAt(at, from + 1) === 0x3a || markAt(at, from + 1) === 0x2e
  const first = has(at, from + 1, dateWord.ordinalEnding)
    ? from + 2
    : isMinute && touches(at, from + 1) && touches(at, from + 2) && isDigits(at, from + 2)
      ? from + 3
      : from + 1
  const isBetween = wordAt(at, from - 1) === 'between'
  if (!isRangeMark(at, first) && !(isBetween && has(at, first, dateWord.and))) return null
  const next = has(at, first + 1, dateWord.the) ? first + 2 : first + 1
  if (isLineStart(at, next) || (!isDigits(at, next) && !has(at, next, dateWord.cardinal | dateWord.ordinal)))
    return null
  const second = better(readTime(at, next, isBetween && !isFigure), readCalendarDate(at, next, false))
  if (isBetween && !isFigure && second !== null && second.score >= 0.7) return second
  return second !== null && second.score >= 0.78 ? { end: second.end, score: second.score } : null
}

/** 2014-2018 with another sign that these are years. */
function readYears(at: DateText, from: number): DatePart | null {
  if (lengthOf(at, from) !== 4 || !isRangeMark(at, from + 1) || lengthOf(at, from + 2) !== 4 || !isDigits(at, from + 2))
    return null
  const [first, second] = [at.values[from] as number, at.values[from + 2] as number]
  if (first < 1900 || second > 2099 || second <= first || isGluedAfter(at, from + 3) || isCounted(at, from + 3))
    return null
  const isSaid = isLed(at, from) && !has(at, from - 1, dateWord.pointer)
  return { end: from + 3, score: isSaid ? 0.78 : 0.6 }
}

/** After "to": an hour, a day, a year, now. */
export function readRangeEnd(at: DateText, from: number): DatePart | null {
  if (has(at, from, dateWord.now)) return { end: from + 1, score: 0.75 }
  const time = readTime(at, from, true)
  if (time !== null) return time
  const day = has(at, from, dateWord.the) ? from + 1 : from
  if (isDigits(at, day) && has(at, day + 1, dateWord.ordinalEnding) && touches(at, day + 1))
    return { end: day + 2, score: 0.74 }
  if (!isDigits(at, from) || isGluedAfter(at, from + 1)) return null
  const value = at.values[from] as number
  const isNumber = lengthOf(at, from) <= 2 ? value >= 1 && value <= 31 : lengthOf(at, from) === 4 && isYear(value)
  return isNumber && !isCounted(at, from + 1) ? { end: from + 1, score: 0.72 } : null
}

/** "3-8" directly after a day. */
export function readHours(at: DateText, from: number): DatePart | null {
  if (!isDigits(at, from) || lengthOf(at, from) > 2 || markAt(at, from + 1) !== 0x2d || !isDigits(at, from + 2))
    return null
  const isHours =
    lengthOf(at, from + 2) <= 2 && (at.values[from] as number) <= 24 && (at.values[from + 2] as number) <= 24
  return isHours &&
    !isGluedAfter(at, from + 3) &&
    has(at, from - 1, dateWord.weekday | dateWord.deictic | dateWord.partOfDay)
    ? { end: from + 3, score: 0.75 }
    : null
}
