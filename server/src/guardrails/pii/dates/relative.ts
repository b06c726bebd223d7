// Finds relative dates: tomorrow, next Tuesday, the last three weeks, two months ago, in five days, end of the week.

import { readCalendarDate } from './calendar.ts'
import { readTime } from './clock.ts'
import {
  afterHyphen,
  type DatePart,
  type DateText,
  has,
  isDigits,
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
import { endOfOwner } from './owner.ts'

const anyUnit = dateWord.unit | dateWord.shortUnit

/** The part that begins here, or null. */
export function readRelative(at: DateText, from: number): DatePart | null {
  if (has(at, from, dateWord.deictic)) return readDeictic(at, from)
  if (has(at, from, dateWord.pointer)) return readPointed(at, from) ?? readEdge(at, from)
  if (has(at, from, dateWord.the)) return readThe(at, from)
  if (has(at, from, dateWord.edge | dateWord.stage)) {
    const edge = readEdge(at, from)
    if (edge !== null) return edge
  }
  if (has(at, from, dateWord.unit)) return readWeekNumber(at, from)
  if (isIn(at, from)) return readIn(at, from)
  const first = readFirstOf(at, from)
  if (first !== null) return first
  if (isCount(at, from)) return readShifted(at, from)
  return has(at, from, dateWord.closing) ? readClosing(at, from) : null
}

/** EOD, FY18. */
function readClosing(at: DateText, from: number): DatePart | null {
  if (wordAt(at, from).endsWith('y') && wordAt(at, from) !== 'eoy') {
    const length = lengthOf(at, from + 1)
    const isYearNext = isDigits(at, from + 1) && (length === 2 ? touches(at, from + 1) : length === 4)
    return isYearNext ? { end: from + 2, score: 0.78 } : null
  }
  return { end: from + 1, score: 0.72 }
}

function readDeictic(at: DateText, from: number): DatePart {
  const end = from + 1
  if (has(at, end, dateWord.partOfDay | dateWord.meridiem) && !isLineStart(at, end))
    return { end: end + 1, score: 0.93 }
  return { end, score: touches(at, from) && markAt(at, from - 1) === 0 ? 0.3 : 0.88 }
}

/** this week, last Friday, the next couple of weeks, the past 3 months, this upcoming Friday, same year. */
function readPointed(at: DateText, from: number): DatePart | null {
  let next = from + 1
  const isCurrent = wordAt(at, from) === 'current'
  if (has(at, next, dateWord.pointer) && !isLineStart(at, next)) next++
  const counted = endOfCount(at, next)
  if (counted !== -1) {
    const unit = has(at, counted, dateWord.of) ? counted + 1 : counted
    const isBusiness =
      wordAt(at, unit) === 'business' || wordAt(at, unit) === 'working' || wordAt(at, unit) === 'calendar'
    const last = isBusiness ? unit + 1 : unit
    return has(at, last, anyUnit) && !isLineStart(at, last) ? { end: endOfOwner(at, last + 1), score: 0.82 } : null
  }
  if (isLineStart(at, next)) return null
  if (wordAt(at, next) === 'fiscal' || wordAt(at, next) === 'calendar' || wordAt(at, next) === 'school') next++
  if (has(at, next, dateWord.unit)) return readPointedUnit(at, next, isCurrent)
  if (wordAt(at, next) === 'hour' || wordAt(at, next) === 'minute')
    return {
      end: next + 1,
      score: wordAt(at, from) === 'this' || wordAt(at, from) === 'last' || wordAt(at, from) === 'next' ? 0.72 : 0.5,
    }
  if (has(at, next, dateWord.partOfDay)) return { end: next + 1, score: 0.88 }
  if (has(at, next, dateWord.season)) return { end: next + 1, score: has(at, next, dateWord.ambiguous) ? 0.72 : 0.82 }
  if (has(at, next, dateWord.weekday | dateWord.month | dateWord.deictic)) {
    const date = readCalendarDate(at, next, true)
    // "This may take a while."
    if (date === null || (wordAt(at, next) === 'may' && date.end === next + 1 && date.score < 0.7)) return null
    return { end: endOfOwner(at, date.end), score: Math.max(date.score, 0.85) }
  }
  const holiday = readHoliday(at, next)
  if (holiday !== null) return holiday
  const date = readNumericDate(at, next, true) ?? (isDigits(at, next) ? readCalendarDate(at, next, true) : null)
  return date !== null && date.score > 0.7 ? date : null
}

function readPointedUnit(at: DateText, unit: number, isCurrent: boolean): DatePart | null {
  const word = wordAt(at, unit)
  const isPlural = word.endsWith('s')
  const score = isCurrent || isPlural ? 0.6 : word === 'day' || word === 'night' || word === 'quarter' ? 0.78 : 0.88
  let end = unit + 1
  if (has(at, end, dateWord.weekday) && !isLineStart(at, end)) end++
  else if (has(at, end, dateWord.joint) && has(at, end + 1, dateWord.weekday)) end += 2
  return { end: endOfOwner(at, end), score }
}

/** The end of 3, three, a couple, few, 2.5; or -1. */
function endOfCount(at: DateText, from: number): number {
  if (isDigits(at, from)) {
    if (lengthOf(at, from) > 3) return -1
    return markAt(at, from + 1) === 0x2e && touches(at, from + 2) && isDigits(at, from + 2) ? from + 3 : from + 1
  }
  if (!has(at, from, dateWord.cardinal | dateWord.few)) return -1
  let end = from + 1
  while (end - from < 3 && has(at, end, dateWord.cardinal | dateWord.few)) end++
  return end
}

function isCount(at: DateText, from: number): boolean {
  if (isDigits(at, from)) return !isGluedBefore(at, from) && lengthOf(at, from) <= 3
  return has(at, from, dateWord.cardinal | dateWord.few)
}

/** The end of "3 weeks", "2 weeks and 2 days", "half an hour", "2h"; or -1. */
function endOfLength(at: DateText, from: number): number {
  let unit = endOfCount(at, from)
  if (unit === -1) return -1
  if (
    wordAt(at, unit) === 'more' ||
    wordAt(at, unit) === 'business' ||
    wordAt(at, unit) === 'working' ||
    has(at, unit, dateWord.of)
  )
    unit++
  if (!has(at, unit, anyUnit) || isLineStart(at, unit))
    return wordAt(at, unit) === 'h' && touches(at, unit) ? unit + 1 : -1
  if (!has(at, unit + 1, dateWord.and)) return unit + 1
  const more = endOfCount(at, unit + 2)
  if (more !== -1 && has(at, more, anyUnit)) return more + 1
  return more !== -1 && more > unit + 2 && wordAt(at, more - 1) === 'half' ? more : unit + 1
}

/** two months ago, 10 minutes from now, 2 weeks before Christmas, 3 next weeks, an hour later. */
function readShifted(at: DateText, from: number): DatePart | null {
  const pointer = endOfCount(at, from)
  if (pointer !== -1 && has(at, pointer, dateWord.pointer) && has(at, pointer + 1, anyUnit))
    return { end: pointer + 2, score: 0.82 }
  const end = endOfLength(at, from)
  if (end === -1 || !has(at, end, dateWord.shift) || isLineStart(at, end)) return null
  const shift = wordAt(at, end)
  if (shift === 'ago' || shift === 'hence') return { end: end + 1, score: 0.9 }
  if (shift === 'later' || shift === 'earlier') return { end: end + 1, score: 0.75 }
  if (has(at, end + 1, dateWord.now)) return { end: end + 2, score: 0.9 }
  const anchor = readAnchor(at, end + 1)
  return anchor === null ? null : { end: anchor.end, score: 0.85 }
}

/** The date in "before …" and "after …". */
function readAnchor(at: DateText, from: number): DatePart | null {
  if (isLineStart(at, from)) return null
  if (has(at, from, dateWord.deictic)) return readDeictic(at, from)
  const time = readTime(at, from, false)
  if (time !== null && time.score >= 0.78) return time
  if (wordAt(at, from) === 'noon' || wordAt(at, from) === 'midnight') return { end: from + 1, score: 0.8 }
  const found =
    readHoliday(at, from) ??
    readNumericDate(at, from, true) ??
    (has(at, from, dateWord.pointer) ? readPointed(at, from) : readCalendarDate(at, from, true))
  return found !== null && found.score >= 0.7 ? found : null
}

function isIn(at: DateText, from: number): boolean {
  const word = wordAt(at, from)
  return word === 'in' || word === 'within'
}

/** in 5 days, in half an hour, within the next 10 months; "in 20 seconds" is a duration. */
function readIn(at: DateText, from: number): DatePart | null {
  let next = from + 1
  const filler = wordAt(at, next)
  if (filler === 'about' || filler === 'exactly' || filler === 'around' || filler === 'another' || filler === 'just')
    next++
  if (has(at, next, dateWord.the)) next++
  if (has(at, next, dateWord.pointer)) {
    const pointed = readPointed(at, next)
    return pointed === null ? null : { end: pointed.end, score: pointed.score }
  }
  const end = endOfLength(at, next)
  if (end === -1) return null
  const last = wordAt(at, end - 1)
  const isVague = wordAt(at, next) === 'few' || wordAt(at, next) === 'several'
  return { end, score: isVague ? 0.72 : last.startsWith('min') || last === 'h' ? 0.73 : 0.78 }
}

/** the day after tomorrow, the week after next, the next two days, the week of the 18th, the end of the year. */
function readThe(at: DateText, from: number): DatePart | null {
  const next = from + 1
  if (isLineStart(at, next)) return null
  if (has(at, next, dateWord.pointer)) return readPointed(at, next)
  if (has(at, next, dateWord.edge)) return readEdge(at, next)
  const counted = readFirstOf(at, next)
  if (counted !== null) return counted
  if (!has(at, next, dateWord.unit)) return null
  const after = wordAt(at, next + 1)
  if (
    (after === 'after' || after === 'before') &&
    (has(at, next + 2, dateWord.deictic) || wordAt(at, next + 2) === 'next')
  )
    return { end: next + 3, score: 0.9 }
  if (
    (after === 'after' || after === 'before') &&
    wordAt(at, next) === 'day' &&
    (next + 2 >= at.tokens.count || markAt(at, next + 2) !== 0)
  )
    return { end: next + 2, score: 0.74 }
  if (wordAt(at, next) === 'weekend') return { end: next + 1, score: 0.74 }
  return readWeekNumber(at, next)
}

/** first week of Jan 2015, last friday of the month, 3rd week of 2018. */
function readFirstOf(at: DateText, from: number): DatePart | null {
  let next = from + 1
  if (isDigits(at, from)) next = has(at, next, dateWord.ordinalEnding) && touches(at, next) ? next + 1 : -1
  else if (!has(at, from, dateWord.ordinal)) next = -1
  if (next === -1 || !has(at, next, dateWord.unit | dateWord.weekday | dateWord.month)) return null
  if (wordAt(at, next) === 'century') return { end: next + 1, score: 0.8 }
  const owned = endOfOwner(at, next + 1)
  return owned === next + 1 ? null : { end: owned, score: 0.85 }
}

/** week 31; week of the 18th; year 2008; day after tomorrow. */
function readWeekNumber(at: DateText, from: number): DatePart | null {
  const word = wordAt(at, from)
  const next = from + 1
  if (isDigits(at, next) && !isLineStart(at, next)) {
    const value = at.values[next] as number
    if (word === 'week' && value >= 1 && value <= 53 && lengthOf(at, next) <= 2)
      return { end: endOfOwner(at, next + 1), score: 0.74 }
    return word === 'year' && isYear(value) && lengthOf(at, next) === 4 ? { end: next + 1, score: 0.85 } : null
  }
  if (has(at, next, dateWord.of) && (word === 'week' || word === 'weekend')) {
    const anchor = readAnchor(at, next + 1)
    return anchor === null ? null : { end: anchor.end, score: 0.85 }
  }
  return word === 'day' && wordAt(at, next) === 'after' && has(at, next + 1, dateWord.deictic)
    ? { end: next + 2, score: 0.9 }
    : null
}

/** end of the week, beginning of 2008, mid November, early next week, later this month, late afternoon. */
function readEdge(at: DateText, from: number): DatePart | null {
  const isStage = has(at, from, dateWord.stage)
  let next = afterHyphen(at, endOfStages(at, from))
  const hasOf = has(at, next, dateWord.of)
  if (hasOf) next = afterHyphen(at, next + 1)
  else if (isStage && (wordAt(at, next) === 'in' || wordAt(at, next) === 'on')) next++
  if (isLineStart(at, next)) return null
  const isMid = wordAt(at, from).startsWith('mid')
  if (!hasOf && !isStage && !isMid) return null
  const target = has(at, next, dateWord.the) ? next + 1 : next
  if (has(at, target, dateWord.pointer)) return raise(readPointed(at, target), 0.85)
  if (has(at, target, dateWord.deictic)) return raise(readDeictic(at, target), 0.85)
  if (has(at, target, dateWord.partOfDay)) return { end: target + 1, score: 0.8 }
  if (isStage && wordAt(at, target) === 'hours') return readHoursOf(at, target)
  const counted = readFirstOf(at, target)
  if (counted !== null) return counted
  if (has(at, target, dateWord.unit) && !isStage) return readEdgeOfUnit(at, target, target > next)
  if (has(at, target, dateWord.unit) && isStage && target > next) return { end: target + 1, score: 0.74 }
  if (has(at, target, dateWord.season)) return { end: target + 1, score: 0.74 }
  if (isDigits(at, target)) {
    const isWholeYear = lengthOf(at, target) === 4 && isYear(at.values[target] as number)
    if (!isWholeYear || (isStage && next === target && hasOf)) return null
    return { end: wordAt(at, target + 1) === 's' && touches(at, target + 1) ? target + 2 : target + 1, score: 0.82 }
  }
  if (!has(at, target, dateWord.month | dateWord.weekday)) return null
  return raise(readCalendarDate(at, target, true), 0.8)
}

/** "The early hours of" a day; without one it is no date. */
function readHoursOf(at: DateText, hours: number): DatePart | null {
  if (!has(at, hours + 1, dateWord.of)) return null
  const anchor = readAnchor(at, has(at, hours + 2, dateWord.the) ? hours + 3 : hours + 2)
  return anchor === null ? null : { end: anchor.end, score: 0.85 }
}

/** After "mid", "early", and after "mid-to-late". */
function endOfStages(at: DateText, from: number): number {
  const until = afterHyphen(at, from + 1)
  const second = afterHyphen(at, until + 1)
  return wordAt(at, until) === 'to' && has(at, second, dateWord.stage | dateWord.edge) ? second + 1 : from + 1
}

function readEdgeOfUnit(at: DateText, unit: number, hasThe: boolean): DatePart | null {
  const word = wordAt(at, unit)
  if (word.endsWith('s')) return null
  return { end: endOfOwner(at, unit + 1), score: hasThe || word !== 'night' ? 0.8 : 0.6 }
}

function raise(part: DatePart | null, score: number): DatePart | null {
  return part === null ? null : { end: part.end, score: Math.max(part.score, score) }
}
