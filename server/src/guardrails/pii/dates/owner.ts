// Finds the period after "of": "of 2021", "of this year", "of May".

import { readCalendarDate } from './calendar.ts'
import { type DateText, has, isDigits, lengthOf } from './date-text.ts'
import { dateWord } from './date-words.ts'
import { isYear } from './numeric-date.ts'

/** "of 2021", "of this year" after a period. */
export function endOfOwner(at: DateText, end: number): number {
  if (!has(at, end, dateWord.of)) return end
  const isOfYear = isDigits(at, end + 1) && lengthOf(at, end + 1) === 4 && isYear(at.values[end + 1] as number)
  if (isOfYear) return end + 2
  if (has(at, end + 1, dateWord.month)) return readCalendarDate(at, end + 1, true)?.end ?? end
  return has(at, end + 1, dateWord.pointer | dateWord.the) && has(at, end + 2, dateWord.unit) ? end + 3 : end
}
