// Finds credentials in a whole text: a private key or a token may be longer than a slice. Reads each character once,
// and a bounded distance from each mark.

import type { Finding } from '../../finding.ts'
import type { WorkBudget } from '../../work-budget.ts'
import { findAssignedValue, findBearerToken, findToldPassword } from './assigned-values.ts'
import type { FoundValue } from './found-value.ts'
import { findJwtAt } from './json-web-tokens.ts'
import { findPrivateKeyAt, privateKeyMark } from './private-keys.ts'
import { findAzureSecret, findTelegramToken, findTokenAt } from './token-forms.ts'
import { findUrlPassword } from './url-passwords.ts'

/** Characters to read between two yields. */
const stretch = 8_192
const stepsPerCharacter = 2
const stepsPerMark = 24

type Read = (text: string, at: number) => FoundValue | null

const bearer = /[Bb]earer[ \t]{1,3}/y
const toldPassword = /[Pp](?:assword|asscode|assphrase)[ \t]{1,2}(?:is|was|=>|->)[ \t]{1,3}/y

/** Marks that are rare, and what is read from each. */
const marks: readonly (readonly [mark: string, read: Read])[] = [
  [privateKeyMark, findPrivateKeyAt],
  ['Q~', findAzureSecret],
  ['earer', (text, at) => readAfter(bearer, text, at - 1, findBearerToken)],
  ['assword', (text, at) => readAfter(toldPassword, text, at - 1, findToldPassword)],
  ['assphrase', (text, at) => readAfter(toldPassword, text, at - 1, findToldPassword)],
  ['asscode', (text, at) => readAfter(toldPassword, text, at - 1, findToldPassword)],
]

function readAfter(lead: RegExp, text: string, at: number, read: Read): FoundValue | null {
  if (at < 0) return null
  lead.lastIndex = at
  return lead.test(text) ? read(text, lead.lastIndex) : null
}

/** Yields so that others can run. The result has no order, and matches may overlap. */
export function* findCredentials(text: string, budget: Pick<WorkBudget, 'spend'>): Generator<void, Finding[]> {
  const finds: Finding[] = []
  const add = (found: FoundValue | null) => {
    if (found !== null) finds.push({ ...found, type: 'CREDENTIAL' })
    return found?.end ?? 0
  }
  for (const [mark, read] of marks) {
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) {
      budget.spend(stepsPerMark)
      // What lies in a match is part of it.
      at = Math.max(at, add(read(text, at)) - 1)
      yield
    }
  }
  for (let from = 0; from < text.length; from += stretch) {
    budget.spend(stepsPerCharacter * Math.min(stretch, text.length - from))
    readStretch(text, from, Math.min(from + stretch, text.length), budget, add)
    yield
  }
  return finds
}

const colon = 0x3a
const equals = 0x3d
const slash = 0x2f

function readStretch(
  text: string,
  from: number,
  to: number,
  budget: Pick<WorkBudget, 'spend'>,
  add: (found: FoundValue | null) => number,
): void {
  let isInWord = from > 0 && isWordCode(text.charCodeAt(from - 1))
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    const startsWord = !isInWord
    isInWord = isWordCode(code)
    if (isInWord && startsWord) add(findTokenAt(text, at) ?? findJwtAt(text, at))
    else if (code === colon && text.charCodeAt(at + 1) === slash) add(findUrlPassword(text, at))
    else if (code === colon || code === equals) {
      budget.spend(stepsPerMark)
      add(findAssignedValue(text, at) ?? (code === colon ? findTelegramToken(text, at) : null))
    }
  }
}

/** A token begins after any other character. */
function isWordCode(code: number): boolean {
  const lower = code | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x5f
}
