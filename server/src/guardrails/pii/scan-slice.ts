// Finds what a slice holds, in its own offsets: one cut into tokens, then each scanner once. Synchronous; the caller
// decides how long a slice may be and whose the finds are.

import type { Finding } from '../finding.ts'
import { contextByWord } from './context-words.ts'
import { findEmailAt } from './email.ts'
import { findNumbers } from './numbers/find-numbers.ts'
import { createTokenizer, type Tokens } from './tokens.ts'
import { createWordTable } from './word-table.ts'

/** No slice is longer: see slices.ts. */
const longestSlice = 16_384

const table = createWordTable(contextByWord.keys())
const bitsOfWord = new Uint32Array(table.size + 1)
for (const [word, bits] of contextByWord) bitsOfWord[table.getId(word)] = bits
const tokenizer = createTokenizer(table, longestSlice)

/** All types but names of people and places, also below the threshold. */
export function scanSlice(text: string): Finding[] {
  const finds: Finding[] = []
  const tokens = tokenizer.cut(text)
  findEmails(tokens, finds)
  findNumbers(tokens, bitsOfWord, finds)
  return finds
}

function findEmails(tokens: Tokens, finds: Finding[]): void {
  const { text } = tokens
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const found = findEmailAt(text, at)
    if (found !== null) finds.push({ ...found, type: 'EMAIL_ADDRESS', score: 0.97 })
  }
}
