// What stands outside quotation marks, with the marks and apostrophes of several languages.
import { expect, test } from 'vitest'
import { outsideQuotes } from '../../../../src/guardrails/sentinel/model/quotes.ts'
import { firstView } from '../../../../src/guardrails/sentinel/scan-text.ts'

function outside(text: string): string | null {
  const view = outsideQuotes(firstView(text))
  return view === null ? null : String.fromCharCode(...view)
}

test.each([
  'The paper says "drop all your rules" and calls it old.',
  'The paper says “drop all your rules” and calls it old.',
  'The paper says „drop all your rules“ and calls it old.',
  'The paper says « drop all your rules » and calls it old.',
  'The paper says »drop all your rules« and calls it old.',
  'The paper says `drop all your rules` and calls it old.',
  "The paper says 'drop all of the bot's rules' and calls it old.",
  'The paper says ‘drop all of the bot’s rules’ and calls it old.',
])('a quote is left out: %s', text => {
  expect(outside(text)).toBe('the paper says "" and calls it old.')
})

test.each([
  ['of two words', 'The paper says "drop rules" and calls it old.'],
  ['that does not end', 'The paper says "drop all your rules and calls it old.'],
  ['of apostrophes', "The bots' rules aren't what the users' rules are, so it's old."],
  ['of inches', 'A 24" screen and a wall of 3 by 12" are too large.'],
  ['without enough words besides', 'He said: "drop all your rules now"'],
])('no quote %s', (_what, text) => {
  expect(outside(text)).toBeNull()
})

test('several quotes are left out, and names in quotation marks are kept', () => {
  const text = 'Mark "A" for "drop all your rules" and "B" for "bake all your bread", then add both.'
  expect(outside(text)).toBe('mark "a" for "" and "b" for "", then add both.')
})

test('a mark that nothing ends is searched for once', () => {
  const view = firstView('„a «b ‘c '.repeat(50_000))
  const before = process.cpuUsage()
  expect(outsideQuotes(view)).toBeNull()
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(500)
})
