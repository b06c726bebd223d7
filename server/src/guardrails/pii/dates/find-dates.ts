// Finds dates and times in a text: reads the longest part that begins at a word or number, then what is joined to it:
// "tomorrow at 8", "from May 3 to the 5th", "Monday 3-8". Each token costs a bounded number of steps.

import type { Finding } from '../../finding.ts'
import { kindOfToken } from '../tokens.ts'
import { isLed, isRangeMark, readYear } from './bare-years.ts'
import { readCalendarDate } from './calendar.ts'
import { readTime } from './clock.ts'
import {
  better,
  type DatePart,
  type DateText,
  has,
  isDigits,
  isLineStart,
  lengthOf,
  markAt,
  wordAt,
} from './date-text.ts'
import { dateWord, wordStarters } from './date-words.ts'
import { readHoliday } from './holidays.ts'
import { isYear, readNumericDate } from './numeric-date.ts'
import { readHours, readRangeEnd, readRangeStart } from './ranges.ts'
import { readRelative } from './relative.ts'

const maxJoins = 8
/** The maximum cost of reading a part at one place. */
const stepsToRead = 16
/** Nothing is joined to a part with a lower score. */
const minScore = 0.45

/** What may follow "the", "a" and "in" in a date. */
const afterArticle =
  dateWord.pointer |
  dateWord.edge |
  dateWord.stage |
  dateWord.unit |
  dateWord.shortUnit |
  dateWord.ordinal |
  dateWord.cardinal |
  dateWord.partOfDay |
  dateWord.season |
  dateWord.few |
  dateWord.fraction |
  dateWord.the |
  dateWord.lead |
  dateWord.of

/** Adds its matches, including those below the threshold, in the order of the text. */
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

/** Most words and numbers begin nothing; a look at the next token rejects them. */
function mayStart(at: DateText, from: number): boolean {
  if (at.tokens.kinds[from] === kindOfToken.digits) {
    const length = lengthOf(at, from)
    return length <= 4 || length === 8
  }
  const bits = (at.bits[from] as number) & wordStarters
  if (bits === 0) return isQuarterLetter(at, from)
  if ((bits & ~(dateWord.the | dateWord.few | dateWord.joint)) !== 0) return true
  if ((bits & dateWord.joint) !== 0 && !isInOrWithin(at, from)) return false
  return at.tokens.kinds[from + 1] === kindOfToken.digits || ((at.bits[from + 1] as number) & afterArticle) !== 0
}

/** The first letter is enough: no other joint begins with i or w. */
function isInOrWithin(at: DateText, from: number): boolean {
  const letter = at.tokens.text.charCodeAt(at.tokens.starts[from] as number) | 0x20
  return letter === 0x69 || letter === 0x77
}

function isQuarterLetter(at: DateText, from: number): boolean {
  if (lengthOf(at, from) !== 1 || !isDigits(at, from + 1)) return false
  const code = at.tokens.text.charCodeAt(at.tokens.starts[from] as number) | 0x20
  return code === 0x71 || code === 0x68
}

function readWhole(at: DateText, from: number): DatePart | null {
  const isExpected = isLed(at, from)
  const first = better(readRangeStart(at, from), readPart(at, from, isExpected))
  if (first === null || first.score < minScore) return null
  const isBetween = wordAt(at, from - 1) === 'between'
  let end = first.end
  let score = first.score
  for (let joins = 0; joins < maxJoins; joins++) {
    const next = readJoined(at, end, isBetween)
    if (next === null) break
    end = next.end
    // "He sat at 5": two weak parts do not make a date.
    if (score >= 0.5 || next.score >= 0.76) score = Math.max(score, next.score)
  }
  return { end, score: isRecurring(at, from) ? Math.min(score, 0.4) : score }
}

/** "every Monday" and "each morning" are not dates. */
function isRecurring(at: DateText, from: number): boolean {
  return has(at, from - 1, dateWord.every)
}

/** The longest part with the highest score that begins here. */
function readPart(at: DateText, from: number, isExpected: boolean): DatePart | null {
  at.tokens.steps += stepsToRead
  if (isDigits(at, from)) {
    const numeric = better(readNumericDate(at, from, isExpected), readTime(at, from, isTimeExpected(at, from)))
    const named = better(readCalendarDate(at, from, isExpected), readRelative(at, from))
    return better(better(numeric, named), isExpected || has(at, from - 1, dateWord.of) ? readYear(at, from) : null)
  }
  const dated = better(readRelative(at, from), readCalendarDate(at, from, isExpected))
  const isNumber = has(at, from, dateWord.cardinal | dateWord.fraction)
  const time = isNumber ? readTime(at, from, isTimeExpected(at, from)) : null
  const timed = better(time, readPartOfDay(at, from, isExpected))
  return better(better(dated, timed), better(readHoliday(at, from), readSeason(at, from, isExpected)))
}

const timeLeads = new Set(['at', 'after', 'before', 'until', 'till', 'til'])

function isTimeExpected(at: DateText, from: number): boolean {
  if (isLineStart(at, from)) return false
  const isLead = has(at, from - 1, dateWord.lead | dateWord.until)
  if (!isLead) return markAt(at, from - 1) === 0x40
  if (timeLeads.has(wordAt(at, from - 1))) return true
  return has(at, from - 2, dateWord.deictic | dateWord.weekday | dateWord.partOfDay)
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

/** What is joined to a date that ends here: another part after a comma, a joint, a word for "to", or nothing. */
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
