// Scans one slice: cuts it into tokens, then runs each scanner once. Offsets are the slice's own. Synchronous, so
// callers must limit the length of a slice.

import type { Finding } from '../finding.ts'
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

/** All types but names of people and places, including matches below the threshold. */
export function scanSlice(text: string, budget: WorkBudget): Finding[] {
  const view = createNormalView(text)
  const finds: Finding[] = []
  const tokens = tokenizer.cut(view.text)
  findEmails(tokens, finds)
  findNumbers(tokens, numberWords, finds)
  readDateText(dateText, tokens, dateBitsOfWord, dateValueOfWord)
  findDates(dateText, finds)
  budget.spend(tokens.steps + (view.origin === null ? 0 : text.length))
  return view.origin === null ? finds : finds.map(find => toOriginal(view, find))
}

function findEmails(tokens: Tokens, finds: Finding[]): void {
  const { text } = tokens
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const found = findEmailAt(tokens, at)
    if (found !== null) finds.push({ ...found, type: 'EMAIL_ADDRESS', score: 0.97 })
  }
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.words[at] !== atWord) continue
    const found = findSpelledEmailAt(tokens, at)
    if (found !== null) finds.push({ ...found, type: 'EMAIL_ADDRESS', score: 0.97 })
  }
}
