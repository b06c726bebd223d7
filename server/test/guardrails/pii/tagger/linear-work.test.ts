// Twice the text, twice the steps, also of texts that are made to make the tagger look everywhere.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createTagger } from '../../../../src/guardrails/pii/tagger/tagger.ts'
import { hashStart, hashStep } from '../../../../src/guardrails/pii/tagger/tokens.ts'
import { readWeights } from '../../../../src/guardrails/pii/tagger/weights-file.ts'

const file = readFileSync(new URL('../../../../src/guardrails/pii/tagger/weights.bin', import.meta.url))
const tagger = createTagger(readWeights(file))

function stepsFor(text: string): number {
  const before = tagger.steps
  tagger.tag(text)
  return tagger.steps - before
}

/** Words whose hashes fall together in a table of the size that so many words get. */
function collidingWords(count: number): string[] {
  const words: string[] = []
  for (let number = 0; words.length < count; number++) {
    const word = letters(number)
    let hash = hashStart
    for (const letter of word) hash = hashStep(hash, letter.charCodeAt(0))
    if (((Math.imul(hash, 0x9e3779b1) >>> 8) & (count * 2 - 1)) === 0) words.push(word)
  }
  return words
}

function letters(number: number): string {
  let word = 'qx'
  for (let rest = number; rest > 0; rest = Math.floor(rest / 26)) word += String.fromCharCode(97 + (rest % 26))
  return word
}

const seeds = [
  'Anna Berg ',
  'ANNA,',
  'A. ',
  '1 Elm ',
  '12 Old Mill House ',
  'New York ',
  'San San San ',
  'apt ',
  'CA 9',
  ': ',
  'name: ',
  '{"a":"',
  '@',
  '\n',
  'é',
  '𝒜',
  '\u200b',
  'Anna\u0301',
  "O'",
]

test.each(seeds)('twice as much of %j', seed => {
  const half = seed.repeat(Math.ceil(4_096 / seed.length))
  const [single, double] = [stepsFor(half), stepsFor(half + half)]
  expect(double).toBeLessThanOrEqual(single * 2.1 + 50)
  expect(double / (half.length * 2)).toBeLessThan(16)
})

test('words that fall on one slot cost no more than others', () => {
  const words = collidingWords(512)
  const others = words.map((_, at) => letters(at + 1_000))
  expect(stepsFor(words.join(' '))).toBeLessThan(stepsFor(others.join(' ')) + words.length * 40)
})
