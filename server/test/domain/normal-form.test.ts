// Normal forms: the platform's own for every text that people write, and in linear time for marks without end.
import { expect, test } from 'vitest'
import { normalForm } from '../../src/domain/normal-form.ts'
import { expectLinear } from '../support/slowness.ts'

test.each(['Ångström', 'e\u0301', '\u1112\u1161\u11ab', 'ﬁ ²', `q${'\u0307\u0323'.repeat(15)}`])('of %j', text => {
  for (const form of ['NFC', 'NFKC', 'NFKD'] as const) expect(normalForm(text, form)).toBe(text.normalize(form))
})

test('of many marks on one character', () => {
  expectLinear(size => () => void normalForm(`a${'\u0301\u0316'.repeat(size)}`, 'NFC'))
  expect(normalForm(`a${'\u0316'.repeat(31)}`, 'NFC')).toBe(`a${'\u0316'.repeat(30)}\u034f\u0316`)
})
