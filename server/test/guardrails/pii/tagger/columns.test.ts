// Columns that two blanks keep apart: which texts have them, and that no text makes finding out expensive.
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { hasColumns } from '../../../../src/guardrails/pii/tagger/columns.ts'
import { createTokens, readTokens } from '../../../../src/guardrails/pii/tagger/tokens.ts'
import { processorMsOf } from '../../../support/slowness.ts'

test.each([
  ['Anna  Osaka\nBob  Lisbon', true],
  ['Anna  Osaka\r\nBob  Lisbon', true],
  ['Name and city\nAnna  Osaka  12\nBob  Lisbon  7', true],
  ['Anna  Osaka', false],
  ['Anna  Osaka\n\nBob  Lisbon', false],
  ['Anna  Osaka\nand\nBob  Lisbon', false],
  ['One sentence.  Another\nof them.  And more', false],
  ['  Anna\n  Bob', false],
  ['Anna  \nBob  ', false],
  ['Anna   Osaka\nBob   Lisbon', false],
])('%j: %s', (text, expected) => {
  expect(hasColumns(text)).toBe(expected)
})

/** What is meant, in a form that takes quadratic time. */
const columns = /[^\s.!?:;,] {2}\S[^\n]*\n[^\n]*[^\s.!?:;,] {2}\S/

test('any text has columns where the expression says so', () => {
  const piece = fc.constantFrom('a', 'b ', '  ', '  ', '   ', '\n', '\r\n', '.', ', ', '\t', '\u00a0', '\ufeff', '7')
  const text = fc.array(piece, { maxLength: 16 }).map(pieces => pieces.join(''))
  fc.assert(
    fc.property(text, one => {
      expect(hasColumns(one)).toBe(columns.test(one))
    }),
    { numRuns: inject('prove') ? 200_000 : 20_000 },
  )
})

test.each(['a  ', 'Paris  600 ', 'a.  b  ', '  ', 'a  b\n\n', '\n'])(
  'a text full of %j is read in less than ten times what one of words takes',
  seed => {
    const length = 32_768
    const tokens = createTokens(length)
    const msFor = (part: string): number => {
      const text = Buffer.alloc(length, part).toString('latin1')
      return processorMsOf(() => {
        for (let times = 0; times < 12; times++) readTokens(text, tokens)
      })
    }
    msFor('a b ')
    expect(msFor(seed)).toBeLessThan(10 * msFor('a b '))
  },
)
