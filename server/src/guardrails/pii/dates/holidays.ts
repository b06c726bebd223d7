// Finds holidays, most of them American, by name: Christmas Eve, New Year's Day, Labor Day weekend, easter 2018.

import { type DatePart, type DateText, has, isDigits, lengthOf, markAt, touches, wordAt } from './date-text.ts'
import { dateWord } from './date-words.ts'
import { isYear } from './numeric-date.ts'
import { endOfOwner } from './owner.ts'

/** The last word of a holiday's name, by the word before. */
const tails: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    (
      'labor labour memorial independence earth boxing columbus veterans veteran presidents groundhog mothers mother fathers ' +
      'father valentine valentines patrick patricks fools fool workers worker women bastille canada australia mlk king ' +
      'teacher teachers children saints remembrance armistice flag'
    )
      .split(' ')
      .map(word => [word, ['day']]),
  ),
  year: ['day', 'eve'],
  years: ['day', 'eve'],
  christmas: ['day', 'eve'],
  xmas: ['day', 'eve'],
  thanksgiving: ['day', 'eve'],
  halloween: ['day', 'night'],
  good: ['friday'],
  black: ['friday'],
  cyber: ['monday'],
  easter: ['monday', 'sunday'],
  palm: ['sunday'],
  ash: ['wednesday'],
  eid: ['al', 'ul'],
  mardi: ['gras'],
  yom: ['kippur'],
  rosh: ['hashanah', 'hashana'],
  winter: ['solstice'],
  summer: ['solstice'],
}
/** Words that may precede those above in a holiday's name. */
const heads = new Set(['new', 'st', 'saint', 'international', 'april', 'martin', 'luther', 'all', 'lunar', 'chinese'])

export function readHoliday(at: DateText, from: number): DatePart | null {
  if (!has(at, from, dateWord.holiday | dateWord.holidayHead)) return null
  let head = from
  while (head - from < 3 && heads.has(wordAt(at, head))) head++
  if (markAt(at, head) === 0x2e) head++
  const word = wordAt(at, head)
  let end = head + 1
  if (markAt(at, end) === 0x27 && touches(at, end)) end += wordAt(at, end + 1) === 's' ? 2 : 1
  const tail = Object.hasOwn(tails, word) ? (tails[word] as readonly string[]) : []
  if (tail.includes(wordAt(at, end))) end += word === 'eid' ? 2 : 1
  else if (!has(at, head, dateWord.holiday)) return null
  else end = head + 1
  if (word === 'year' && !heads.has(wordAt(at, head - 1))) return null
  if (wordAt(at, end) === 'weekend' || wordAt(at, end) === 'week') end++
  if (has(at, end, dateWord.of)) return { end: endOfOwner(at, end), score: 0.85 }
  const hasYear = isDigits(at, end) && lengthOf(at, end) === 4 && isYear(at.values[end] as number)
  return { end: hasYear ? (wordAt(at, end + 1) === 'weekend' ? end + 2 : end + 1) : end, score: 0.8 }
}
