// Finds where the end of a text may begin a value that the next piece completes. The text before it is settled:
// scanned now, it gives the same result as with whatever follows. Reads a bounded part of the text.

import type { EntityName, EntityType } from '../../domain/settings/settings.ts'
import type { WorkBudget } from '../work-budget.ts'
import type { CustomTypes } from './custom/custom-types.ts'
import { dateWord, mayBeInDate, mayStartDate } from './dates/date-words.ts'
import { wantsSlices } from './find-entities.ts'
import { digitWords } from './numbers/spoken-digits.ts'
import { openCredentialOf } from './open-credentials.ts'
import { openSpelledEmailOf } from './open-spelled-email.ts'
import { openNamesOf } from './tagger/tag-names.ts'
import { isBlankCode, isIdeograph, readTail, type Tail, tailKind } from './tail-tokens.ts'

/** No match is longer. */
export const maxMatchLength = 320
/** The longest local part of an e-mail address; no other value without blanks is longer. */
const maxRunLength = 64
const maxDomainLength = 254
/** A label after a number may change its score: that many words, or tokens, later it cannot. */
const wordsAfterNumber = 4
const tokensAfterNumber = 8
/** Fewer digits are no number of any type, unless dots or colons are between them. */
const minDigits = 5

export interface OpenEndRules {
  /** Types that are read in the normalised text. */
  hasNormalised: boolean
  hasEmail: boolean
  hasNumbers: boolean
  hasDates: boolean
  hasNames: boolean
  hasCredentials: boolean
  custom: CustomTypes | null
}

export function openEndRulesOf(wanted: ReadonlySet<EntityName>, custom: CustomTypes | null): OpenEndRules {
  const has = (...types: EntityType[]) => types.some(type => wanted.has(type))
  return {
    hasNormalised: wantsSlices(wanted),
    hasEmail: has('EMAIL_ADDRESS'),
    // A number of one type is not taken for one of another, so all are read to their ends.
    hasNumbers: has('PHONE_NUMBER', 'US_SSN', 'CREDIT_CARD', 'US_BANK_NUMBER', 'IBAN_CODE', 'IP_ADDRESS', 'LOCATION'),
    hasDates: has('DATE_TIME'),
    hasNames: has('PERSON', 'LOCATION'),
    hasCredentials: wanted.has('CREDENTIAL'),
    custom,
  }
}

/** The same for the types that are read in the text as it is. Returns an offset from `from` to the text's length. */
export function openEndAsItIs(
  text: string,
  from: number,
  { hasCredentials, custom }: OpenEndRules,
  budget: Pick<WorkBudget, 'spend' | 'spent'>,
): number {
  const floor = Math.max(from, text.length - maxMatchLength)
  const open = hasCredentials ? openCredentialOf(text, floor) : text.length
  return custom === null ? open : Math.min(open, custom.openEndOf(text, floor, budget))
}

/** Returns an offset from `from` to the text's length. `text` must be normalised. */
export function openEndOf(text: string, from: number, rules: OpenEndRules): number {
  const floor = Math.max(from, text.length - maxMatchLength)
  const tail = readTail(text, floor)
  const run = openRunOf(text, floor, rules)
  let open = run
  if (rules.hasNumbers || rules.hasDates) open = Math.min(open, openNumberOf(tail, run))
  if (rules.hasEmail) open = Math.min(open, openSpelledEmailOf(tail))
  if (rules.hasDates) open = Math.min(open, openDateOf(tail))
  if (rules.hasNames) open = Math.min(open, openNames(text, run))
  return Math.max(floor, open)
}

/** The characters at the end without a blank: the beginning of a word, a number or an address. */
function openRunOf(text: string, floor: number, { hasEmail }: OpenEndRules): number {
  let start = text.length
  while (start > floor && !isBlankCode(text.charCodeAt(start - 1))) {
    // A script without blanks between words: only an e-mail address may contain its letters.
    if (!hasEmail && isIdeograph(text.charCodeAt(start - 1))) break
    start--
  }
  if (text.length - start <= maxRunLength) return start
  const at = text.lastIndexOf('@')
  const isDomain = hasEmail && at >= start && text.length - at <= maxDomainLength
  return Math.max(start, (isDomain ? at : text.length) - maxRunLength)
}

/** The first of the numbers at the end that may continue, or whose labels may still come. */
function openNumberOf(tail: Tail, run: number): number {
  const { count, kinds } = tail
  let open = tail.text.length
  if (tail.endsLine) return open
  for (let at = count - 1; at >= 0 && kinds[at] === tailKind.mark && '+('.includes(tail.charAt(at)); at--) {
    open = tail.starts[at] as number
  }
  let words = 0
  let seen = 0
  for (let at = count - 1; at >= 0 && words < wordsAfterNumber && seen < tokensAfterNumber; at--) {
    if (isNumeric(tail, at)) {
      let first = at
      while (first > 0 && !tail.lines[first] && joinsNumber(tail, first - 1)) first--
      const isFollowed =
        at + 1 < count &&
        kinds[at + 1] === tailKind.word &&
        (tail.starts[at + 1] as number) < run &&
        !tail.isShortCapitals(at + 1)
      if (!isFollowed || isLongNumber(tail, first, at)) open = tail.starts[first] as number
      seen += at - first
      at = first
    } else if (kinds[at] === tailKind.word) words++
    seen++
    if (tail.lines[at]) break
  }
  return open
}

const spoken: ReadonlySet<string> = new Set(digitWords)

function isNumeric(tail: Tail, at: number): boolean {
  return tail.kinds[at] === tailKind.digits || (tail.kinds[at] === tailKind.word && spoken.has(tail.wordAt(at)))
}

const numberMarks = '+()-./:,'

/**
 * Whether the token belongs to the number after it: a group, a mark, letters that touch it or are a group of an IBAN.
 */
function joinsNumber(tail: Tail, at: number): boolean {
  if (isNumeric(tail, at)) return true
  if (tail.kinds[at] === tailKind.mark) return numberMarks.includes(tail.charAt(at))
  return tail.touches[at + 1] === true || tail.isShortCapitals(at)
}

function isLongNumber(tail: Tail, first: number, last: number): boolean {
  let digits = 0
  let marks = 0
  for (let at = first; at <= last; at++) {
    if (tail.kinds[at] === tailKind.digits) digits += (tail.ends[at] as number) - (tail.starts[at] as number)
    else if (tail.kinds[at] === tailKind.word) digits++
    else if ('.:'.includes(tail.charAt(at))) marks++
  }
  return digits >= minDigits || marks > 1
}

/** Words before the end that the tagger reads to decide which of them are worth weighing. */
const tailForNames = 160

/** Without the last word: it may be unfinished. */
function openNames(text: string, run: number): number {
  const from = Math.max(0, run - tailForNames)
  return openNamesOf(text.slice(from, run)) + from
}

/** The first of the words at the end that may be one date. */
function openDateOf(tail: Tail): number {
  let open = tail.text.length
  for (let at = tail.count - 1; at >= 0; at--) {
    const isLast = at === tail.count - 1 && (tail.ends[at] as number) === tail.text.length
    if (!isLast && !isPartOfDate(tail, at)) break
    if (tail.kinds[at] === tailKind.digits || mayStartDate(tail.wordAt(at))) open = tail.starts[at] as number
    if (tail.lines[at]) break
  }
  return open
}

const dateMarks = ",-/.:@()'"

function isPartOfDate(tail: Tail, at: number): boolean {
  if (tail.kinds[at] === tailKind.digits) return true
  if (tail.kinds[at] === tailKind.mark) return dateMarks.includes(tail.charAt(at))
  return (tail.dateBitsAt(at) & ~dateWord.follower) !== 0 || mayBeInDate(tail.wordAt(at))
}
