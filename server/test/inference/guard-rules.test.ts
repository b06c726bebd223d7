// What is made of a project's settings is made once, also where each request brings settings of its own.

import { expect, test } from 'vitest'
import { defaultSettings } from '../../src/domain/settings/settings.ts'
import { createRuleBook } from '../../src/inference/guard/guard-rules.ts'

const terms = () => Array.from({ length: 200 }, (_, index) => `${index} ${'long term '.repeat(20)}`.trim())

test('the same terms in another list are not compiled again, other terms are', () => {
  const rulesOf = createRuleBook()
  const sentinelOf = (sentinel_blocklist: string[]) =>
    rulesOf({ ...defaultSettings('http://localhost:8080'), sentinel_mode: 'enforce', sentinel_blocklist }).sentinel
  const [first, again, other] = [sentinelOf(terms()), sentinelOf(terms()), sentinelOf([...terms(), 'one more'])]
  expect(again?.sentinel).toBe(first?.sentinel)
  expect(again?.blocklist).toBe(first?.blocklist)
  expect(other?.sentinel).not.toBe(first?.sentinel)
  expect(other?.blocklist).not.toBe(first?.blocklist)
})
