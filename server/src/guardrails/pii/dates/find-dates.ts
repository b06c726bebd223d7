// Finds dates and times in a text: reads the longest piece that begins at a word or number, then what is joined to it:
// "tomorrow at 8", "from May 3 to the 5th", "Monday 3-8". Works on tokens; each costs a bounded number of steps.

import type { Finding } from '../../finding.ts'
import { readCalendarDate } from './calendar.ts'
import { readTime } from './clock.ts'
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
import { readHoliday } from './holidays.ts'
import { isYear, readNumericDate } from './numeric-date.ts'
import { readRelative } from './relative.ts'

const mostJoins = 8
/** What looking for a piece at one place costs at most. */
const stepsToRead = 16
/** Pieces below this are not worth joining anything to. */
const leastScore = 0.45

const wordStarters =
  dateWord.month |
  dateWord.weekday |
  dateWord.deictic |
  dateWord.pointer |
  dateWord.unit |
  dateWord.partOfDay |
  dateWord.cardinal |
  dateWord.ordinal |
  dateWord.holiday |
  dateWord.holidayHead |
  dateWord.season |
  dateWord.edge |
  dateWord.stage |
  dateWord.the |
  dateWord.closing |
  dateWord.fraction |
  dateWord.few |
  dateWord.joint |
  dateWord.now

/** Adds what it finds, also below the threshold, in the order of the text. */
export function findDates(at: DateText, finds: Finding[]): void {
  const { tokens } = at
  let from = 0
  while (from < tokens.count) {
    const found = mayStart(at, from) ? readWhole(at, from) : null
    if (found === null) {
      from++
      continue
    }
    const start = tokens.starts[from] as number
    finds.push({ start, end: tokens.ends[found.end - 1] as number, type: 'DATE_TIME', score: found.score })
    from = found.end
  }
}

function mayStart(at: DateText, from: number): boolean {
  return at.tokens.kinds[from] === 2 || ((at.bits[from] as number) & wordStarters) !== 0 || isQuarterLetter(at, from)
}

function isQuarterLetter(at: DateText, from: number): boolean {
  if (lengthOf(at, from) !== 1 || !isDigits(at, from + 1)) return false
  const code = at.tokens.text.charCodeAt(at.tokens.starts[from] as number) | 0x20
  return code === 0x71 || code === 0x68
}

function readWhole(at: DateText, from: number): DatePart | null {
  const isExpected = isLed(at, from)
  const first = better(readRangeStart(at, from), readPart(at, from, isExpected))
  if (first === null || first.score < leastScore) return null
  const isBetween = wordAt(at, from - 1) === 'between'
  let end = first.end
  let score = first.score
  for (let joins = 0; joins < mostJoins; joins++) {
    const next = readJoined(at, end, isBetween)
    if (next === null) break
    end = next.end
    // "He sat at 5": two guesses are no knowledge.
    if (score >= 0.5 || next.score >= 0.76) score = Math.max(score, next.score)
  }
  return { end, score: isRecurring(at, from) ? Math.min(score, 0.4) : score }
}

/** "every Monday" and "each morning" are no date. */
function isRecurring(at: DateText, from: number): boolean {
  return has(at, from - 1, dateWord.every)
}

/** A preposition stands before it, perhaps with "the" between. */
function isLed(at: DateText, from: number): boolean {
  if (isLineStart(at, from)) return false
  const lead = dateWord.lead | dateWord.until | dateWord.pointer | dateWord.stage
  return has(at, from - 1, lead) || (has(at, from - 1, dateWord.the) && has(at, from - 2, lead))
}

/** The surest and longest piece that begins here. */
function readPart(at: DateText, from: number, isExpected: boolean): DatePart | null {
  at.tokens.steps += stepsToRead
  if (isDigits(at, from)) {
    const numeric = better(readNumericDate(at, from, isExpected), readTime(at, from, isTimeExpected(at, from)))
    const named = better(readCalendarDate(at, from, isExpected), readRelative(at, from))
    return better(better(numeric, named), isExpected || has(at, from - 1, dateWord.of) ? readYear(at, from) : null)
  }
  const told = better(readRelative(at, from), readCalendarDate(at, from, isExpected))
  const isNumber = has(at, from, dateWord.cardinal | dateWord.fraction)
  const time = isNumber ? readTime(at, from, isTimeExpected(at, from)) : null
  const timed = better(time, readPartOfDay(at, from, isExpected))
  return better(better(told, timed), better(readHoliday(at, from), readSeason(at, from, isExpected)))
}

function better(one: DatePart | null, other: DatePart | null): DatePart | null {
  if (one === null || other === null) return one ?? other
  const [isOneSure, isOtherSure] = [one.score >= 0.7, other.score >= 0.7]
  if (isOneSure !== isOtherSure) return isOneSure ? one : other
  return other.end > one.end || (other.end === one.end && other.score > one.score) ? other : one
}

const timeLeads = new Set(['at', 'after', 'before', 'until', 'till', 'til', '@'])

function isTimeExpected(at: DateText, from: number): boolean {
  if (isLineStart(at, from)) return false
  if (timeLeads.has(wordAt(at, from - 1)) || markAt(at, from - 1) === 0x40) return true
  return has(at, from - 1, dateWord.lead) && has(at, from - 2, dateWord.deictic | dateWord.weekday | dateWord.partOfDay)
}

/** In 1988, since 1990, the Act of 2001; a plural noun behind it makes it a count. */
function readYear(at: DateText, from: number): DatePart | null {
  if (!isDigits(at, from) || lengthOf(at, from) !== 4 || isGluedBefore(at, from) || isGluedAfter(at, from + 1))
    return null
  const value = at.values[from] as number
  if (value < 1800 || value > 2099) return null
  const lead = wordAt(at, from - 1)
  if (lead === 'at' || lead === 'on' || lead === 'around' || lead === 'about' || lead === 'to' || lead === 'for')
    return { end: from + 1, score: 0.6 }
  if (lead === 'of' && (value % 100 === 0 || value < 1950 || value > 2040)) return null
  return { end: from + 1, score: isCounted(at, from + 1) ? 0.5 : 0.76 }
}

const verbs = new Set(['was', 'has', 'his', 'this', 'is', 'as', 'its', 'us', 'does'])

/** A word in the plural, or a unit: what follows a count. */
function isCounted(at: DateText, token: number): boolean {
  if (isLineStart(at, token) || has(at, token, dateWord.unit | dateWord.shortUnit)) return !isLineStart(at, token)
  const word = wordAt(at, token)
  return word.length > 2 && word.endsWith('s') && !verbs.has(word)
}

/** noon; in the morning; at night. */
function readPartOfDay(at: DateText, from: number, isExpected: boolean): DatePart | null {
  if (has(at, from, dateWord.partOfDay)) {
    const word = wordAt(at, from)
    if (word === 'noon' || word === 'midnight' || word === 'midday') return { end: from + 1, score: 0.8 }
    if (word === 'lunchtime' || word === 'daytime' || word === 'dinnertime') return { end: from + 1, score: 0.72 }
    return { end: from + 1, score: isExpected && word !== 'night' && has(at, from - 1, dateWord.the) ? 0.74 : 0.55 }
  }
  const word = wordAt(at, from)
  if (word !== 'in' && word !== 'during') return null
  const part = has(at, from + 1, dateWord.the) ? from + 2 : -1
  return part !== -1 && has(at, part, dateWord.partOfDay) && wordAt(at, part) !== 'night'
    ? { end: part + 1, score: 0.76 }
    : null
}

function readSeason(at: DateText, from: number, isExpected: boolean): DatePart | null {
  if (!has(at, from, dateWord.season)) return null
  const next = has(at, from + 1, dateWord.of) ? from + 2 : from + 1
  const hasYear = isDigits(at, next) && lengthOf(at, next) === 4 && isYear(at.values[next] as number)
  if (hasYear) return { end: next + 1, score: 0.82 }
  const isFree =
    !has(at, from, dateWord.ambiguous) &&
    isExpected &&
    (has(at, from - 1, dateWord.the) || wordAt(at, from - 1) === 'in')
  return { end: from + 1, score: isFree ? 0.72 : 0.3 }
}

/** 5 to 6pm, 9 to 12 of June, 3-8pm, 2014-2018: the second half says what the first is. */
function readRangeStart(at: DateText, from: number): DatePart | null {
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

/** A word or a mark that says "to". */
function isRangeMark(at: DateText, token: number): boolean {
  if (has(at, token, dateWord.until)) return true
  const mark = markAt(at, token)
  return mark === 0x2d || mark === 0x7e || mark === 0x2013
}

/** 2014-2018 where something says that these are years. */
function readYears(at: DateText, from: number): DatePart | null {
  if (lengthOf(at, from) !== 4 || !isRangeMark(at, from + 1) || lengthOf(at, from + 2) !== 4 || !isDigits(at, from + 2))
    return null
  const [first, second] = [at.values[from] as number, at.values[from + 2] as number]
  if (first < 1900 || second > 2099 || second <= first || isGluedAfter(at, from + 3) || isCounted(at, from + 3))
    return null
  const isSaid = isLed(at, from) && !has(at, from - 1, dateWord.pointer)
  return { end: from + 3, score: isSaid ? 0.78 : 0.6 }
}

/** What is joined to a date that ends here: another piece behind a comma, a joint, a word for "to", or nothing. */
function readJoined(at: DateText, end: number, isBetween: boolean): DatePart | null {
  if (isLineStart(at, end)) return null
  const mark = markAt(at, end)
  const isRange = isRangeMark(at, end) || (isBetween && has(at, end, dateWord.and))
  const isJoint = has(at, end, dateWord.joint) || mark === 0x40
  let next = end
  if (isRange || isJoint || mark === 0x2c || mark === 0x28) next++
  if (has(at, next, dateWord.joint) && mark === 0x2c) next++
  if (isLineStart(at, next)) return null
  const isLoose = isRange || isJoint
  const part = readPart(at, next, isLoose) ?? (has(at, next, dateWord.the) ? readPart(at, next + 1, isLoose) : null)
  const bare = isRange ? readRangeEnd(at, next) : next === end ? readHours(at, next) : null
  const found = better(part, bare)
  if (found === null || found.score < 0.7) return null
  return mark === 0x28 && markAt(at, found.end) === 0x29 ? { end: found.end + 1, score: found.score } : found
}

/** After "to": an hour, a day, a year, now. */
function readRangeEnd(at: DateText, from: number): DatePart | null {
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

/** "3-8" directly behind a day. */
function readHours(at: DateText, from: number): DatePart | null {
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
