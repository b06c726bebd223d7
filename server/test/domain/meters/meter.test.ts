// What a request counts for a meter, and dollars with all their digits.
import { expect, test } from 'vitest'
import { amountOf, type MeteredRequest, subjectOf, usdText } from '../../../src/domain/meters/meter.ts'

const request: MeteredRequest = {
  requestId: 'r1',
  at: 0,
  projectId: 'p1',
  projectSlug: 'amber-falcon-4821',
  userId: 'user-1',
  tier: 'gold',
  model: 'openai/gpt-4o-mini',
  provider: 'openai',
  endpoint: 'chat_completions',
  promptTokens: 2,
  completionTokens: 3,
  totalTokens: 5,
  cost: 12_500,
}

test.each([
  [0, '0'],
  [1, '0.000000001'],
  [12_500, '0.0000125'],
  [999_999_999, '0.999999999'],
  [1_000_000_000, '1'],
  [1_500_000_000, '1.5'],
  [10_000_000_000_000, '10000'],
  [Number.MAX_SAFE_INTEGER, '9007199.254740991'],
])('%d nano-dollars are %s dollars', (cost, text) => {
  expect(usdText(cost)).toBe(text)
})

test('an answer of the cache counts as a request only', () => {
  expect([amountOf('cost_usd', request), amountOf('total_tokens', request), amountOf('requests', request)]).toEqual([
    12_500, 5, 1,
  ])
  const cached = { ...request, promptTokens: 0, completionTokens: 0, totalTokens: 0, cost: 0 }
  expect([amountOf('cost_usd', cached), amountOf('total_tokens', cached), amountOf('requests', cached)]).toEqual([
    null,
    null,
    1,
  ])
  // A model without a price.
  expect(amountOf('cost_usd', { ...request, cost: 0 })).toBe(0)
})

test('a subject is the id, the tier or the slug of the project', () => {
  expect(subjectOf('uid', request)).toBe('user-1')
  expect(subjectOf('tier', request)).toBe('gold')
  expect(subjectOf('tier', { ...request, tier: null })).toBe('none')
  expect(subjectOf('project', request)).toBe('amber-falcon-4821')
})
