// Scans one slice: cuts it into tokens, then runs the scanners, each at most once. Offsets are the slice's own.
// Synchronous, so callers must limit the length of a slice.

import type { EntityType } from '../../domain/settings/settings.ts'
import { confidenceThreshold, type Finding } from '../finding.ts'
import type { WorkBudget } from '../work-budget.ts'
import { contextByWord } from './context-words.ts'
import { createDateText, readDateText } from './dates/date-text.ts'
import { dateBitsByWord, dateValueByWord } from './dates/date-words.ts'
import { findDates } from './dates/find-dates.ts'
import { findEmailAt } from './email.ts'
import { createNormalView, toOriginal } from './normal-view.ts'
import { findNumbers } from './numbers/find-numbers.ts'
import { digitWords } from './numbers/spoken-digits.ts'
import { findSpelledEmailAt } from './spelled-email.ts'
import { createTokenizer, type Tokens } from './tokens.ts'
import { createWordTable } from './word-table.ts'

/** The maximum of slices.ts. */
const maxSliceLength = 16_384

const table = createWordTable([...contextByWord.keys(), ...dateBitsByWord.keys(), ...digitWords])
const atWord = table.getId('at')
const bitsOfWord = new Uint32Array(table.size + 1)
const dateBitsOfWord = new Int32Array(table.size + 1)
const dateValueOfWord = new Int32Array(table.size + 1).fill(-1)
for (const [word, bits] of contextByWord) bitsOfWord[table.getId(word)] = bits
for (const [word, bits] of dateBitsByWord) dateBitsOfWord[table.getId(word)] = bits
const numberWords = { bits: bitsOfWord, digits: new Int8Array(table.size + 1).fill(-1) }
for (const [digit, word] of digitWords.entries()) numberWords.digits[table.getId(word)] = digit
for (const [word, value] of dateValueByWord) dateValueOfWord[table.getId(word)] = value
const tokenizer = createTokenizer(table, maxSliceLength)
const dateText = createDateText(maxSliceLength)

interface Scanner {
  types: readonly EntityType[]
  /** In the order of the text, including matches below the threshold. */
  scan(tokens: Tokens): Finding[]
}

const scanners: readonly Scanner[] = [
  { types: ['EMAIL_ADDRESS'], scan: findEmails },
  {
    types: ['PHONE_NUMBER', 'US_SSN', 'CREDIT_CARD', 'US_BANK_NUMBER', 'IBAN_CODE', 'IP_ADDRESS'],
    scan(tokens) {
      const finds: Finding[] = []
      findNumbers(tokens, numberWords, finds)
      return finds
    },
  },
  {
    types: ['DATE_TIME'],
    scan(tokens) {
      const finds: Finding[] = []
      readDateText(dateText, tokens, dateBitsOfWord, dateValueOfWord)
      findDates(dateText, finds)
      return finds
    },
  },
]

/**
 * All types but names of people and places, including matches below the threshold. With `wanted`, the scanners of other
 * types run only if those of the wanted types find any: a match can only be taken away by one of another type.
 */
export function scanSlice(text: string, budget: WorkBudget, wanted: ReadonlySet<string> | null = null): Finding[] {
  const isFirst = scanners.map(({ types }) => wanted === null || types.some(type => wanted.has(type)))
  if (!isFirst.includes(true)) return []
  const view = createNormalView(text)
  const tokens = tokenizer.cut(view.text)
  // In the scanners' order: of equal matches, the first counts.
  const found = scanners.map(({ scan }, at) => (isFirst[at] ? scan(tokens) : null))
  const hasWanted = wanted === null || found.some(own => own?.some(find => isMatch(find, wanted)))
  const finds = found.flatMap((own, at) => own ?? (hasWanted ? scanners[at]!.scan(tokens) : []))
  budget.spend(tokens.steps + (view.origin === null ? 0 : text.length))
  return view.origin === null ? finds : finds.map(find => toOriginal(view, find))
}

export function isMatch({ type, score }: Finding, wanted: ReadonlySet<string>): boolean {
  return score >= confidenceThreshold && wanted.has(type)
}

function findEmails(tokens: Tokens): Finding[] {
  const { text } = tokens
  const finds: Finding[] = []
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const found = findEmailAt(tokens, at)
    if (found !== null) finds.push({ ...found, type: 'EMAIL_ADDRESS', score: 0.97 })
  }
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.words[at] !== atWord) continue
    const found = findSpelledEmailAt(tokens, at)
    if (found !== null) finds.push({ ...found, type: 'EMAIL_ADDRESS', score: 0.97 })
  }
  return finds
}
