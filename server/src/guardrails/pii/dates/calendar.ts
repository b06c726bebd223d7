// Finds dates by name: 4 May 2018, the 14th of June, Tuesday the 18th, March 2023, q1 of 2017, the 1990s, in 1988.

import {
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
import { isYear, readNumericDate } from './numeric-date.ts'
import {
  endOfTrailingDay,
  endOfWordYear,
  endOfYear,
  isJointMark,
  isTimeNext,
  readDecade,
  readYearFirst,
} from './years.ts'

const comma = 0x2c

/** The date that begins here, or null. `isExpected`, for example after "on", accepts weaker forms. */
export function readCalendarDate(at: DateText, from: number, isExpected: boolean): DatePart | null {
  if (isDigits(at, from)) {
    if (isGluedBefore(at, from)) return null
    return readDayFirst(at, from, isExpected) ?? readYearFirst(at, from) ?? readDecade(at, from)
  }
  if (has(at, from, dateWord.weekday)) return readWeekday(at, from, isExpected)
  if (has(at, from, dateWord.month)) return readMonthFirst(at, from, isExpected)
  if (has(at, from, dateWord.the)) return readTheDay(at, from)
  if (has(at, from, dateWord.ordinal | dateWord.cardinal))
    return readDayFirst(at, from, isExpected) ?? readQuarter(at, from)
  return readQuarter(at, from)
}

/** The end of 4, 4th, fourth, twenty fourth; or -1. */
function endOfDay(at: DateText, from: number): number {
  const value = at.values[from] as number
  if (isDigits(at, from)) {
    if (lengthOf(at, from) > 2 || value < 1 || value > 31) return -1
    return has(at, from + 1, dateWord.ordinalEnding) && touches(at, from + 1) ? from + 2 : from + 1
  }
  if (has(at, from, dateWord.ordinal)) return from + 1
  if (!has(at, from, dateWord.cardinal) || value > 31) return -1
  const next = markAt(at, from + 1) === 0x2d ? from + 2 : from + 1
  if (
    value >= 20 &&
    (has(at, next, dateWord.ordinal) || has(at, next, dateWord.cardinal)) &&
    (at.values[next] as number) < 10
  )
    return next + 1
  return from + 1
}

function isOrdinalDay(at: DateText, from: number, end: number): boolean {
  return has(at, end - 1, dateWord.ordinalEnding | dateWord.ordinal) && end > from
}

/** 21 March 2002, 6th of April, the twenty-sixth day of the month, 05-Aug-2016. */
function readDayFirst(at: DateText, from: number, isExpected: boolean): DatePart | null {
  const end = endOfDay(at, from)
  if (end === -1) return null
  const isOrdinal = isOrdinalDay(at, from, end)
  let month = end
  if (wordAt(at, month) === 'day' && isOrdinal) month++
  if (has(at, month, dateWord.of) || (isJointMark(markAt(at, month)) && touches(at, month))) month++
  if (markAt(at, month) === comma && !touches(at, month + 1)) month++
  if (has(at, month, dateWord.month) && !isLineStart(at, month)) {
    if (!mayBeMonth(at, month, isOrdinal || isExpected || isDigits(at, from))) return null
    return { end: endOfYear(at, month + 1), score: isOrdinal || isDigits(at, from) ? 0.93 : 0.8 }
  }
  if (!isOrdinal || !has(at, month - 1, dateWord.of)) return isOrdinal && isExpected ? readOrdinalAlone(at, end) : null
  const pointed = endOfPointedUnit(at, month)
  return pointed === -1 ? null : { end: pointed, score: 0.88 }
}

/** The end of "this month", "the month" or "next year" after a day; or -1. */
function endOfPointedUnit(at: DateText, from: number): number {
  return has(at, from, dateWord.pointer | dateWord.the) && has(at, from + 1, dateWord.unit) ? from + 2 : -1
}

/** "fall", "may" and the like need another sign of a date. */
function mayBeMonth(at: DateText, month: number, isSure: boolean): boolean {
  if (wordAt(at, month) === 'mar' || wordAt(at, month) === 'may' || wordAt(at, month) === 'march') return isSure
  return true
}

/** Reads an ordinal after "on" or "the" as a day, if nothing follows that the ordinal could count. */
function readOrdinalAlone(at: DateText, end: number): DatePart | null {
  if (isGluedAfter(at, end)) return null
  const isYearNext = isDigits(at, end) && lengthOf(at, end) === 4 && isYear(at.values[end] as number)
  if (isYearNext && !isLineStart(at, end)) return { end: end + 1, score: 0.8 }
  const isAlone = end >= at.tokens.count || isLineStart(at, end) || isStop(markAt(at, end)) || mayFollow(at, end)
  return isAlone || isTimeNext(at, end + 1) || has(at, end + 1, dateWord.meridiem) ? { end, score: 0.76 } : null
}

function isStop(mark: number): boolean {
  return mark === 0x2e || mark === comma || mark === 0x3f || mark === 0x21 || mark === 0x29 || mark === 0x3b
}

function mayFollow(at: DateText, token: number): boolean {
  return has(
    at,
    token,
    dateWord.follower | dateWord.lead | dateWord.deictic | dateWord.pointer | dateWord.until | dateWord.and,
  )
}

/** The 14th; the 14th of June; the twentieth of next month. */
function readTheDay(at: DateText, from: number): DatePart | null {
  if (has(at, from + 1, dateWord.partOfDay) || isLineStart(at, from + 1)) return null
  const isDay = isDigits(at, from + 1)
    ? has(at, from + 2, dateWord.ordinalEnding)
    : has(at, from + 1, dateWord.ordinal | dateWord.cardinal)
  if (!isDay) return null
  const end = endOfDay(at, from + 1)
  if (end === -1) return null
  const full = readDayFirst(at, from + 1, false) ?? readQuarter(at, from + 1)
  if (full !== null) return full
  const isFigure = isDigits(at, from + 1)
  if (!isOrdinalDay(at, from + 1, end)) return null
  const alone = readOrdinalAlone(at, end)
  const isLed = has(at, from - 1, dateWord.lead | dateWord.until | dateWord.weekday)
  return alone === null || (!isFigure && !isLed)
    ? null
    : { end: alone.end, score: isFigure ? 0.76 : end - from > 2 ? 0.74 : 0.6 }
}

/** May 4th, 2018; March the 6th; April of 1987; Dec-2018; and the month alone. */
function readMonthFirst(at: DateText, from: number, isExpected: boolean): DatePart | null {
  if (touches(at, from) && markAt(at, from - 1) === 0 && !isDigits(at, from - 1)) return null
  let next = from + 1
  const mark = markAt(at, next)
  const isShort = lengthOf(at, from) <= 4
  if ((isJointMark(mark) && touches(at, next)) || mark === comma || (mark === 0x2e && isShort)) next++
  const words = endOfWordYear(at, next)
  if (words !== -1) return { end: words, score: 0.85 }
  const day = readDayOfMonth(at, from, next, isExpected)
  if (day !== null) return day
  const ofYear = has(at, next, dateWord.of) ? next + 1 : next
  if (isDigits(at, ofYear) && lengthOf(at, ofYear) === 4 && isYear(at.values[ofYear] as number)) {
    return { end: endOfTrailingDay(at, ofYear + 1), score: 0.93 }
  }
  const pointed = has(at, from + 1, dateWord.of) ? endOfPointedUnit(at, from + 2) : endOfPointedUnit(at, from + 1)
  if (pointed !== -1 && !has(at, from, dateWord.ambiguous)) return { end: pointed, score: 0.85 }
  return readMonthAlone(at, from, isExpected)
}

function readDayOfMonth(at: DateText, from: number, next: number, isExpected: boolean): DatePart | null {
  const start = has(at, next, dateWord.the) ? next + 1 : next
  if (isLineStart(at, start)) return null
  const end = endOfDay(at, start)
  if (end === -1) return null
  const isFigure = isDigits(at, start)
  const isOrdinal = isOrdinalDay(at, start, end)
  const isHighOrdinal = isOrdinal && (at.values[end - 1] as number) > 3
  if (
    !mayBeMonth(at, from, isFigure || isExpected || isHighOrdinal || end - start > 1) ||
    (isFigure && isGluedAfterDay(at, end))
  )
    return null
  if (!isFigure && !isOrdinal && !isExpected) return null
  let last = end
  if (markAt(at, last) === 0x2d && isDigits(at, last + 1) && lengthOf(at, last + 1) <= 2 && touches(at, last + 1))
    last = endOfDay(at, last + 1)
  return { end: endOfYear(at, last === -1 ? end : last), score: isFigure || isOrdinal ? 0.93 : 0.78 }
}

/** "May 3.5" and "March 100" are not dates; "Dec 19-20" and "Aug 3." are. */
function isGluedAfterDay(at: DateText, end: number): boolean {
  if (!touches(at, end)) return false
  const mark = markAt(at, end)
  if (mark === 0) return !has(at, end - 1, dateWord.ordinalEnding)
  return (
    mark === 0x25 ||
    (mark === 0x2e && touches(at, end + 1) && isDigits(at, end + 1)) ||
    (mark === 0x3a && isDigits(at, end + 1))
  )
}

/** A month alone is certainly a date only if one is expected; "may" and "march" never are otherwise. */
function readMonthAlone(at: DateText, from: number, isExpected: boolean): DatePart | null {
  const end = from + 1
  if (touches(at, end) && (markAt(at, end) === 0x2d || markAt(at, end) === 0x5f || markAt(at, end) === 0x28))
    return null
  const isLong = lengthOf(at, from) > 3
  if (has(at, from, dateWord.ambiguous)) {
    const word = wordAt(at, from)
    if (!isExpected) return { end, score: 0.3 }
    const isCapital = at.tokens.text.charCodeAt(at.tokens.starts[from] as number) < 0x60
    if (word === 'may') return { end, score: isCapital || endsSentence(at, end) ? 0.75 : 0.5 }
    return { end, score: word === 'mar' && !isCapital ? 0.5 : 0.76 }
  }
  return {
    end,
    score: isExpected
      ? 0.85
      : isLong && wordAt(at, from) !== 'august' && wordAt(at, from) !== 'april' && wordAt(at, from) !== 'june'
        ? 0.75
        : 0.6,
  }
}

function endsSentence(at: DateText, end: number): boolean {
  return end >= at.tokens.count || isStop(markAt(at, end)) || has(at, end, dateWord.until)
}

/** Friday; Friday 7/6; Sun, 09 Sep 2018; Tuesday the 18th. Short names need more, or an expectation. */
function readWeekday(at: DateText, from: number, isExpected: boolean): DatePart | null {
  const end = from + 1
  if (touches(at, from) && markAt(at, from - 1) === 0) return null
  let next = end
  if (markAt(at, next) === 0x2e && lengthOf(at, from) < 6) next++
  if (markAt(at, next) === comma || markAt(at, next) === 0x28) next++
  const isBracketed = markAt(at, next - 1) === 0x28
  if (!isLineStart(at, next)) {
    const date =
      readNumericDate(at, next, true) ?? (has(at, next, dateWord.weekday) ? null : readCalendarDate(at, next, true))
    if (date !== null && date.score >= 0.5) {
      return {
        end: isBracketed && markAt(at, date.end) === 0x29 ? date.end + 1 : date.end,
        score: Math.max(0.9, date.score),
      }
    }
    const isDay =
      isDigits(at, next) && next === end && (at.values[next] as number) > 12 && (at.values[next] as number) <= 31
    if (isDay && !isGluedAfter(at, next + 1)) return { end: next + 1, score: 0.85 }
  }
  if (has(at, end, dateWord.partOfDay) && !isLineStart(at, end) && wordAt(at, end).slice(-1) !== 's')
    return { end: end + 1, score: 0.9 }
  if (!has(at, from, dateWord.ambiguous)) return { end, score: 0.88 }
  const isCapital = at.tokens.text.charCodeAt(at.tokens.starts[from] as number) < 0x60
  return { end, score: isExpected && isCapital ? 0.74 : 0.45 }
}

/** q1 of 2017, Q3 2019, H2 2020, the first quarter of next year. */
function readQuarter(at: DateText, from: number): DatePart | null {
  const word = wordAt(at, from)
  const isShort =
    (word === 'q' || word === 'h') && isDigits(at, from + 1) && touches(at, from + 1) && lengthOf(at, from + 1) === 1
  const isLong = has(at, from, dateWord.ordinal) && wordAt(at, from + 1) === 'quarter'
  if (!isShort && !isLong) return null
  const number = at.values[isShort ? from + 1 : from] as number
  if (number < 1 || number > (word === 'h' ? 2 : 4)) return null
  let next = from + 2
  if (has(at, next, dateWord.of) || markAt(at, next) === 0x2d || markAt(at, next) === comma) next++
  if (isDigits(at, next) && lengthOf(at, next) === 4 && isYear(at.values[next] as number))
    return { end: next + 1, score: 0.9 }
  const pointed = endOfPointedUnit(at, next)
  if (pointed !== -1) return { end: pointed, score: 0.85 }
  const isLabelled = isShort && word === 'q' && has(at, from - 1, dateWord.lead | dateWord.of | dateWord.pointer)
  if (isLabelled) return { end: from + 2, score: 0.76 }
  return isLong ? { end: from + 2, score: 0.7 } : { end: from + 2, score: word === 'q' && isShort ? 0.6 : 0.3 }
}
