// Which texts are scored as a whole: those of a few sentences, in any script.
import { expect, test } from 'vitest'
import { isShort, maxShortTokens } from '../../../../src/guardrails/sentinel/model/short-texts.ts'

const repeat = (word: string, times: number) => Array.from({ length: times }, () => word).join(' ')

test.each([
  ['', true],
  ['Hello.', true],
  [repeat('word', maxShortTokens), true],
  [repeat('word', maxShortTokens + 1), false],
  [repeat('слово', maxShortTokens), true],
  [repeat('слово', maxShortTokens + 1), false],
  ['字'.repeat(maxShortTokens), true],
  ['字'.repeat(maxShortTokens + 1), false],
  [repeat('a', maxShortTokens + 1), false],
  [repeat('--', 400), true],
  ['x'.repeat(1_500), true],
  ['x'.repeat(1_501), false],
])('%j is short: %s', (text, expected) => {
  expect(isShort(text)).toBe(expected)
})
