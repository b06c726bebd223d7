// Finds what a slice holds, in its own offsets: one cut into tokens, then each scanner once. Synchronous; the caller
// decides how long a slice may be and whose the finds are.

import type { Finding } from '../finding.ts'
import { contextByWord } from './context-words.ts'
import { createDateText, readDateText } from './dates/date-text.ts'
import { dateBitsByWord, dateValueByWord } from './dates/date-words.ts'
import { findDates } from './dates/find-dates.ts'
import { findEmailAt } from './email.ts'
import { findNumbers } from './numbers/find-numbers.ts'
import { createTokenizer, type Tokens } from './tokens.ts'
import { createWordTable } from './word-table.ts'

/** No slice is longer: see slices.ts. */
const longestSlice = 16_384

const table = createWordTable([...contextByWord.keys(), ...dateBitsByWord.keys()])
const bitsOfWord = new Uint32Array(table.size + 1)
const dateBitsOfWord = new Int32Array(table.size + 1)
const dateValueOfWord = new Int32Array(table.size + 1).fill(-1)
for (const [word, bits] of contextByWord) bitsOfWord[table.getId(word)] = bits
for (const [word, bits] of dateBitsByWord) dateBitsOfWord[table.getId(word)] = bits
for (const [word, value] of dateValueByWord) dateValueOfWord[table.getId(word)] = value
const tokenizer = createTokenizer(table, longestSlice)
const dateText = createDateText(longestSlice)

/** All types but names of people and places, also below the threshold. */
export function scanSlice(text: string): Finding[] {
  const finds: Finding[] = []
  const tokens = tokenizer.cut(text)
  findEmails(tokens, finds)
  findNumbers(tokens, bitsOfWord, finds)
  readDateText(dateText, tokens, dateBitsOfWord, dateValueOfWord)
  findDates(dateText, finds)
  return finds
}

function findEmails(tokens: Tokens, finds: Finding[]): void {
  const { text } = tokens
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const found = findEmailAt(text, at)
    if (found !== null) finds.push({ ...found, type: 'EMAIL_ADDRESS', score: 0.97 })
  }
}
