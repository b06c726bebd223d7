// Finds years, in digits and in words, after or before other parts: ", 2018", "nineteen eighty six", "2017 april",
// 1990s.

import {
  type DatePart,
  type DateText,
  has,
  isDigits,
  isLineStart,
  lengthOf,
  markAt,
  touches,
  wordAt,
} from './date-text.ts'
import { dateWord } from './date-words.ts'
import { isYear } from './numeric-date.ts'

const comma = 0x2c

/** The end of ", 2018", "of 2018", "/2018", "'18" and "nineteen eighty six", after day and month or alone. */
export function endOfYear(at: DateText, end: number): number {
  let from = end
  const mark = markAt(at, from)
  if (
    mark === comma ||
    (mark === 0x2e && !isLineStart(at, from + 1)) ||
    ((mark === 0x2d || mark === 0x2f) && touches(at, from))
  )
    from++
  if (has(at, from, dateWord.of) || (wordAt(at, from) === 'in' && lengthOf(at, from + 1) === 4)) from++
  if (isLineStart(at, from)) return end
  if (isDigits(at, from) && lengthOf(at, from) === 4 && isYear(at.values[from] as number) && !isTimeNext(at, from + 1))
    return from + 1
  const isShort =
    (mark === 0x2d || mark === 0x2f || mark === 0x27) &&
    isDigits(at, from) &&
    lengthOf(at, from) === 2 &&
    !isTimeNext(at, from + 1)
  if (isShort) return from + 1
  const words = endOfWordYear(at, from)
  return words === -1 ? end : words
}

export function isTimeNext(at: DateText, token: number): boolean {
  return markAt(at, token) === 0x3a && isDigits(at, token + 1) && touches(at, token)
}

/** September-2020-23. */
export function endOfTrailingDay(at: DateText, end: number): number {
  const isDay =
    markAt(at, end) === 0x2d &&
    touches(at, end) &&
    isDigits(at, end + 1) &&
    lengthOf(at, end + 1) === 2 &&
    touches(at, end + 1)
  return isDay ? end + 2 : end
}

/** nineteen eighty six, two thousand and five, seventeen hundred thirty three. */
export function endOfWordYear(at: DateText, from: number): number {
  const first = at.values[from] as number
  if (!has(at, from, dateWord.cardinal)) return -1
  const second = at.values[from + 1] as number
  const isCentury =
    first >= 10 && first <= 20 && has(at, from + 1, dateWord.cardinal) && second >= 10 && second !== 1_000
  if (!isCentury && !(first === 2 && second === 1_000)) return -1
  let end = from + 2
  while (
    end - from < 6 &&
    (has(at, end, dateWord.cardinal) || (has(at, end, dateWord.and) && has(at, end + 1, dateWord.cardinal)))
  )
    end++
  return end
}

/** 2017 april, 2019-aug-01. */
export function readYearFirst(at: DateText, from: number): DatePart | null {
  if (lengthOf(at, from) !== 4 || !isYear(at.values[from] as number)) return null
  if (wordAt(at, from + 1) === '年') return readEastAsianDate(at, from)
  const next = isJointMark(markAt(at, from + 1)) ? from + 2 : from + 1
  if (!has(at, next, dateWord.month) || (wordAt(at, next) === 'may' && next === from + 1)) return null
  const hasDay = isJointMark(markAt(at, next + 1)) && isDigits(at, next + 2) && lengthOf(at, next + 2) <= 2
  return { end: hasDay ? next + 3 : next + 1, score: 0.85 }
}

/** 1990s, 1990's. */
export function readDecade(at: DateText, from: number): DatePart | null {
  const year = at.values[from] as number
  const isShort = lengthOf(at, from) === 2 && year >= 20 && has(at, from - 1, dateWord.the)
  if (isShort && year % 10 === 0 && wordAt(at, from + 1) === 's' && touches(at, from + 1))
    return { end: from + 2, score: 0.74 }
  if (lengthOf(at, from) !== 4 || !isYear(year) || year % 10 !== 0 || !touches(at, from + 1)) return null
  const end = markAt(at, from + 1) === 0x27 ? from + 2 : from + 1
  return wordAt(at, end) === 's' && touches(at, end) ? { end: end + 1, score: 0.78 } : null
}

/** A mark that may separate the parts of a date. */
export function isJointMark(mark: number): boolean {
  return mark === 0x2d || mark === 0x2f || mark === 0x2e
}

/** 2023年5月1日; if more follows without a blank, up to the last digit. */
function readEastAsianDate(at: DateText, from: number): DatePart | null {
  if (!isDigits(at, from + 2) || wordAt(at, from + 3) !== '月') return null
  if (!isDigits(at, from + 4)) return { end: from + 4, score: 0.85 }
  return { end: wordAt(at, from + 5) === '日' ? from + 6 : from + 5, score: 0.9 }
}
