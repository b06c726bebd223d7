// What the scanner sees through, and that the offsets it gives back are those of the text as it came.
import { expect, test } from 'vitest'
import { createNormalView, toOriginal } from '../../../src/guardrails/pii/normal-view.ts'
import { scanSlice } from '../../../src/guardrails/pii/scan-slice.ts'
import { createWorkBudget } from '../../../src/guardrails/work-budget.ts'

const invisibles = ['\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u034f', '\ufe0f', '\u{e0061}', '\u{e0101}']
const values = [
  ['CREDIT_CARD', 'my card 4242 4242 4242 4242 ok', 8, 27],
  ['US_SSN', 'ssn 536-22-8717.', 4, 15],
  ['EMAIL_ADDRESS', 'to help@corp.example now', 3, 20],
  ['PHONE_NUMBER', 'tel +44 20 7946 0958,', 4, 20],
  ['IP_ADDRESS', 'host 203.0.113.195 up', 5, 18],
] as const

test('plain text is its own view', () => {
  for (const text of ['', 'plain', 'naïve café', '日本語', '😀 ok'])
    expect(createNormalView(text)).toEqual({ text, origin: null })
})

test.each(values)('%s is found whole with anything invisible between any two characters', (type, text, start, end) => {
  for (const invisible of invisibles) {
    for (let at = start + 1; at < end; at++) {
      const hidden = text.slice(0, at) + invisible + text.slice(at)
      const found = scanSlice(hidden, createWorkBudget(1e9)).filter(find => find.type === type && find.score >= 0.7)
      expect(found.map(find => [find.start, find.end])).toEqual([[start, end + invisible.length]])
    }
  }
})

test.each([
  ['full width', (digit: number) => String.fromCodePoint(0xff10 + digit)],
  ['Arabic', (digit: number) => String.fromCodePoint(0x0660 + digit)],
  ['Devanagari', (digit: number) => String.fromCodePoint(0x0966 + digit)],
  ['mathematical bold', (digit: number) => String.fromCodePoint(0x1d7ce + digit)],
])('a card in %s digits', (_kind, write) => {
  const value = '4242424242424242'.replace(/\d/g, digit => write(Number(digit)))
  const found = scanSlice(`card ${value}!`, createWorkBudget(1e9)).filter(find => find.type === 'CREDIT_CARD')
  expect(found).toEqual([{ type: 'CREDIT_CARD', start: 5, end: 5 + value.length, score: 0.98 }])
})

test('offsets come back through characters that are dropped, folded and two units wide', () => {
  const text = '\u200b\u00a01𝟐３\u{e0020}x'
  const view = createNormalView(text)
  expect(view.text).toBe(' 123x')
  const whole = toOriginal(view, { start: 1, end: 4, type: 'PHONE_NUMBER', score: 1 })
  expect(text.slice(whole.start, whole.end)).toBe('1𝟐３')
})
