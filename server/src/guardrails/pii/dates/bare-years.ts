// Finds four digits that are a year because of the word before them (in 1988, since 1990, the Act of 2001) and because
// nothing after them is counted.

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
  wordAt,
} from './date-text.ts'
import { dateWord } from './date-words.ts'
import { isYear } from './numeric-date.ts'

/** A preposition is before it, possibly with "the" between. */
export function isLed(at: DateText, from: number): boolean {
  if (isLineStart(at, from)) return false
  const lead = dateWord.lead | dateWord.until | dateWord.pointer | dateWord.stage
  return has(at, from - 1, lead) || (has(at, from - 1, dateWord.the) && has(at, from - 2, lead))
}

/** In 1988, since 1990, the Act of 2001; but a plural noun after the number makes it a count. */
export function readYear(at: DateText, from: number): DatePart | null {
  if (!isDigits(at, from) || lengthOf(at, from) !== 4 || isGluedBefore(at, from) || isGluedAfter(at, from + 1))
    return null
  const value = at.values[from] as number
  if (value < 1800 || value > 2040 || isOtherRange(at, from + 1)) return null
  const lead = wordAt(at, from - 1)
  if (lead === 'at' || lead === 'on' || lead === 'around' || lead === 'about' || lead === 'to' || lead === 'for')
    return { end: from + 1, score: 0.6 }
  if (lead === 'of' && (value % 100 === 0 || value < 1950 || value > 2040)) return null
  return { end: from + 1, score: isCounted(at, from + 1) ? 0.5 : 0.76 }
}

/** "from 2000 to 3500" has no years. */
function isOtherRange(at: DateText, token: number): boolean {
  return (
    isRangeMark(at, token) &&
    isDigits(at, token + 1) &&
    lengthOf(at, token + 1) > 2 &&
    !isYear(at.values[token + 1] as number)
  )
}

const verbs = new Set(['was', 'has', 'his', 'this', 'is', 'as', 'its', 'us', 'does'])

/** A plural word or a unit, which follows a count. */
export function isCounted(at: DateText, token: number): boolean {
  if (isLineStart(at, token) || has(at, token, dateWord.unit | dateWord.shortUnit)) return !isLineStart(at, token)
  const word = wordAt(at, token)
  return word.length > 2 && word.endsWith('s') && !verbs.has(word)
}

/** A word or a mark that means "to". */
export function isRangeMark(at: DateText, token: number): boolean {
  if (has(at, token, dateWord.until)) return true
  const mark = markAt(at, token)
  return mark === 0x2d || mark === 0x7e || mark === 0x2013
}
