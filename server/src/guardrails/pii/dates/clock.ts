// Finds times of day: 17:30, 5 p.m., half past nine, eight forty five am.

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

const colon = 0x3a
const dot = 0x2e

/** The time that begins here, or null. `isExpected`, for example after "at", accepts weaker forms. */
export function readTime(at: DateText, from: number, isExpected: boolean): DatePart | null {
  if (has(at, from, dateWord.fraction)) return readPastHour(at, from, from + 1, isExpected)
  if (isDigits(at, from)) return isGluedBefore(at, from) ? null : readDigitTime(at, from, isExpected)
  return has(at, from, dateWord.cardinal) ? readWordTime(at, from, isExpected) : null
}

function readDigitTime(at: DateText, from: number, isExpected: boolean): DatePart | null {
  const hour = at.values[from] as number
  const length = lengthOf(at, from)
  const joined = readMeridiem(at, from + 1)
  if (joined !== -1 && isHourAndMinutes(hour, length)) return withMore(at, joined, 0.93)
  if (length > 2 || hour > 24) return length === 4 && isExpected ? readMilitary(at, from) : null
  const minutes = readMinutes(at, from)
  if (minutes !== null) return minutes
  const spaced = readSpacedMinutes(at, from, isExpected)
  if (spaced !== null) return spaced
  const clock = endOfClock(at, from + 1)
  if (clock !== -1) return withMore(at, clock, 0.9)
  if (touches(at, from + 1) && wordAt(at, from + 1) === 'ish') return { end: from + 2, score: 0.8 }
  if (has(at, from + 1, dateWord.pastOrTo | dateWord.shortUnit)) {
    const past = readPastHour(at, from, from + 1, isExpected)
    if (past !== null) return past
  }
  const part = endOfPart(at, from + 1)
  if (part !== -1 && hour > 0 && (isExpected || has(at, part - 2, dateWord.the))) return { end: part, score: 0.85 }
  return isExpected ? readBareHour(at, from, hour) : null
}

/** 5, 12, 945 and 1030 before am or pm. */
function isHourAndMinutes(value: number, length: number): boolean {
  if (length <= 2) return value >= 1 && value <= 23
  return length <= 4 && value % 100 < 60 && value >= 100 && value < 2_400
}

/** The end of am, a.m., a . m . and of a single a or p that touches; or -1. */
function readMeridiem(at: DateText, from: number): number {
  if (isLineStart(at, from)) return -1
  if (has(at, from, dateWord.meridiem)) return from + 1
  const letter = wordAt(at, from)
  if (letter !== 'a' && letter !== 'p') return -1
  if (markAt(at, from + 1) === dot && wordAt(at, from + 2) === 'm')
    return markAt(at, from + 3) === dot ? from + 4 : from + 3
  if (wordAt(at, from + 1) === 'm') return from + 2
  return touches(at, from) && !touches(at, from + 1) ? from + 1 : -1
}

/** 7:30, 07:30:15.250, 7.30pm, each with what may follow. */
function readMinutes(at: DateText, from: number): DatePart | null {
  const mark = markAt(at, from + 1)
  if ((mark !== colon && mark !== dot) || !touches(at, from + 1) || !touches(at, from + 2)) return null
  if (!isDigits(at, from + 2) || lengthOf(at, from + 2) !== 2 || (at.values[from + 2] as number) > 59) return null
  let end = from + 3
  const meridiem = readMeridiem(at, end)
  if (meridiem !== -1) return withMore(at, meridiem, 0.95)
  if (mark === dot) return null
  const hasSeconds =
    markAt(at, end) === colon && touches(at, end + 1) && isDigits(at, end + 1) && lengthOf(at, end + 1) === 2
  if (hasSeconds) {
    end += 2
    if (markAt(at, end) === dot && touches(at, end + 1) && isDigits(at, end + 1)) end += 2
    const late = readMeridiem(at, end)
    if (late !== -1) end = late
  }
  if (markAt(at, end) === colon && touches(at, end + 1) && isDigits(at, end + 1)) return null
  return withMore(at, endOfZone(at, end), hasSeconds ? 0.82 : 0.78)
}

/** Z, or an offset that follows directly. */
function endOfZone(at: DateText, end: number): number {
  if (touches(at, end) && wordAt(at, end) === 'z') return end + 1
  const mark = markAt(at, end)
  if (!touches(at, end) || (mark !== 0x2b && mark !== 0x2d) || !isDigits(at, end + 1) || lengthOf(at, end + 1) > 4)
    return end
  if (lengthOf(at, end + 1) === 4) return end + 2
  return markAt(at, end + 2) === colon && isDigits(at, end + 3) ? end + 4 : end
}

/** 2 15 in the afternoon, 1 45 a.m. */
function readSpacedMinutes(at: DateText, from: number, isExpected: boolean): DatePart | null {
  if (!isDigits(at, from + 1) || lengthOf(at, from + 1) !== 2 || (at.values[from + 1] as number) > 59) return null
  const meridiem = readMeridiem(at, from + 2)
  const end = meridiem === -1 ? endOfPart(at, from + 2) : meridiem
  if (end !== -1) return { end, score: 0.85 }
  const isAlone = isExpected && (at.values[from + 1] as number) % 5 === 0 && isFree(at, from + 2)
  return isAlone ? { end: from + 2, score: 0.74 } : null
}

/** 1930 hours, 0830. */
function readMilitary(at: DateText, from: number): DatePart | null {
  const value = at.values[from] as number
  const isEven = value < 2_400 && value % 100 < 60
  const isZeroed = at.tokens.text.charCodeAt(at.tokens.starts[from] as number) === 0x30
  const isNamed = wordAt(at, from + 1) === 'hours' || wordAt(at, from + 1) === 'hrs'
  if (isEven && isNamed) return { end: from + 2, score: 0.78 }
  return isEven && isZeroed ? { end: from + 1, score: 0.72 } : null
}

function readBareHour(at: DateText, from: number, hour: number): DatePart | null {
  if (hour === 0) return null
  const hasMinutes =
    markAt(at, from + 1) === dot && touches(at, from + 2) && isDigits(at, from + 2) && lengthOf(at, from + 2) === 2
  const end = hasMinutes && (at.values[from + 2] as number) < 60 ? from + 3 : from + 1
  // "until 1 is reached": after other words than "at", only a stop may follow.
  if (!has(at, from - 1, dateWord.joint) && !isEnd(at, end)) return null
  return isFree(at, end) ? { end, score: 0.74 } : null
}

function isEnd(at: DateText, end: number): boolean {
  if (end >= at.tokens.count || isLineStart(at, end) || isStop(markAt(at, end))) return true
  return has(at, end, dateWord.deictic | dateWord.weekday | dateWord.month | dateWord.pointer | dateWord.lead)
}

/** Nothing follows that the number could count. */
function isFree(at: DateText, end: number): boolean {
  if (isGluedAfter(at, end)) return false
  return end >= at.tokens.count || isLineStart(at, end) || isStop(markAt(at, end)) || mayFollow(at, end)
}

function isStop(mark: number): boolean {
  return (
    mark === dot || mark === 0x2c || mark === 0x3f || mark === 0x21 || mark === 0x29 || mark === 0x3b || mark === 0x2d
  )
}

function mayFollow(at: DateText, token: number): boolean {
  return has(
    at,
    token,
    dateWord.follower | dateWord.deictic | dateWord.weekday | dateWord.month | dateWord.pointer | dateWord.lead,
  )
}

/** o'clock, oclock, o clock. */
function endOfClock(at: DateText, from: number): number {
  if (has(at, from, dateWord.clock)) return from + 1
  if (wordAt(at, from) !== 'o') return -1
  const next = wordAt(at, from + 1) === '' ? from + 2 : from + 1
  return wordAt(at, next) === 'clock' ? next + 1 : -1
}

/** 15 past 7, quarter to six, half past 9. */
function readPastHour(at: DateText, from: number, past: number, isExpected: boolean): DatePart | null {
  const isSaid = has(at, past, dateWord.shortUnit) && has(at, past + 1, dateWord.pastOrTo)
  if (isSaid) return readPastHour(at, from, past + 1, isExpected)
  if (!has(at, past, dateWord.pastOrTo)) return null
  const hour = at.values[past + 1] as number
  if (hour < 0 || hour > 24 || !isHourToken(at, past + 1)) return null
  const isPast = wordAt(at, past) === 'past'
  const clock = endOfClock(at, past + 2)
  const rest = endOfMore(at, clock === -1 ? past + 2 : clock)
  const isFraction = has(at, from, dateWord.fraction)
  const minutes = at.values[from] as number
  if (!isFraction && (minutes < 1 || minutes > 59)) return null
  if (rest > past + 2) return { end: rest, score: 0.9 }
  if (isGluedAfter(at, past + 2)) return null
  if (isFraction || isPast) return { end: past + 2, score: isFraction || isExpected || minutes % 5 === 0 ? 0.8 : 0.6 }
  const isTimeBefore = isExpected && minutes % 5 === 0 && wordAt(at, past) === 'to' && isFree(at, past + 2)
  return isTimeBefore ? { end: past + 2, score: 0.72 } : null
}

function isHourToken(at: DateText, token: number): boolean {
  return isDigits(at, token) ? lengthOf(at, token) <= 2 : has(at, token, dateWord.cardinal)
}

/** eight am, eight forty five pm, seven o'clock; and "four" alone if a time is expected. */
function readWordTime(at: DateText, from: number, isExpected: boolean): DatePart | null {
  const hour = at.values[from] as number
  if (hour < 1 || hour > 12)
    return has(at, from + 1, dateWord.pastOrTo | dateWord.shortUnit)
      ? readPastHour(at, from, from + 1, isExpected)
      : null
  let end = from + 1
  while (end - from < 4 && has(at, end, dateWord.cardinal)) end++
  const meridiem = readMeridiem(at, end)
  if (meridiem !== -1 && (!touches(at, end) || meridiem > end + 1)) return withMore(at, meridiem, 0.92)
  const clock = endOfClock(at, end)
  if (clock !== -1) return withMore(at, clock, 0.92)
  if (end === from + 1 && has(at, end, dateWord.pastOrTo | dateWord.shortUnit))
    return readPastHour(at, from, end, isExpected)
  const part = endOfPart(at, end)
  if (part !== -1 && has(at, part - 2, dateWord.the)) return { end: part, score: 0.85 }
  if (end > from + 1 && !isMinutes(at, from + 1, end)) return null
  if (!isExpected && !(end > from + 1 && has(at, from - 1, dateWord.lead | dateWord.until))) return null
  if (has(at, end, dateWord.unit | dateWord.shortUnit)) return null
  return isFree(at, end) ? { end, score: end > from + 1 ? 0.75 : 0.72 } : null
}

/** thirty, forty five: from ten on. */
function isMinutes(at: DateText, from: number, end: number): boolean {
  const first = at.values[from] as number
  if (first < 10 || first > 59) return false
  return end === from + 1 || (end === from + 2 && first >= 20 && (at.values[from + 1] as number) < 10)
}

function withMore(at: DateText, end: number, score: number): DatePart {
  return { end: endOfMore(at, end), score }
}

/** am, pm, or "in the morning" after a complete time. */
function endOfMore(at: DateText, end: number): number {
  const meridiem = readMeridiem(at, end)
  if (meridiem !== -1) return meridiem
  const part = endOfPart(at, end)
  return part === -1 ? end : part
}

/** morning, in the morning, at night. */
function endOfPart(at: DateText, from: number): number {
  if (isLineStart(at, from)) return -1
  if (has(at, from, dateWord.partOfDay)) return from + 1
  if (!has(at, from, dateWord.joint)) return -1
  if (has(at, from + 1, dateWord.partOfDay)) return from + 2
  return has(at, from + 1, dateWord.the) && has(at, from + 2, dateWord.partOfDay) ? from + 3 : -1
}
