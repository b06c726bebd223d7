// Tests what a budget may be, which days its periods have, and when its spending is reported.
import { describe, expect, test } from 'vitest'
import { budgetValues, checkBudgets, daysOf, limitOf, periodAt } from '../../../src/domain/budgets/budget.ts'
import { thresholdsReached } from '../../../src/domain/budgets/budget-alerts.ts'

describe('a list of budgets', () => {
  const day = { usd: 1, period: 'day' }

  test.each([
    [[]],
    [[day]],
    [
      [
        { usd: 0.000001, period: 'month' },
        { usd: 1_000_000, period: 'day' },
      ],
    ],
  ])('%j is accepted', value => {
    expect(checkBudgets(value, 'budgets')).toEqual({ ok: true, value })
  })

  test.each([
    ['day'],
    [{}],
    [[null]],
    [[{ usd: 1 }]],
    [[{ period: 'day' }]],
    [[{ ...day, more: 1 }]],
    [[{ usd: '1', period: 'day' }]],
    [[{ usd: 1, period: 'week' }]],
    [[{ usd: 0, period: 'day' }]],
    [[{ usd: -1, period: 'day' }]],
    [[{ usd: 0.0000009, period: 'day' }]],
    [[{ usd: 1_000_000.01, period: 'day' }]],
    [[{ usd: Number.NaN, period: 'day' }]],
    [[day, { usd: 2, period: 'day' }]],
    [[day, { usd: 2, period: 'month' }, { usd: 3, period: 'month' }]],
  ])('%j is rejected', value => {
    expect(checkBudgets(value, 'budgets')).toEqual({ ok: false, message: `budgets must be ${budgetValues}` })
  })

  test('null means none', () => {
    expect(checkBudgets(null, 'budgets')).toEqual({ ok: true, value: [] })
  })
})

test('an amount is exact to the nano-dollar', () => {
  const limits = [0.000001, 0.1, 0.29, 1.005, 123_456.789123, 1_000_000].map(usd => limitOf({ usd, period: 'day' }))
  expect(limits).toEqual([1_000, 100_000_000, 290_000_000, 1_005_000_000, 123_456_789_123_000, 1_000_000_000_000_000])
})

describe('a period', () => {
  const at = (text: string) => Date.parse(text)

  test.each([
    ['day', '2026-02-28T23:59:59.999Z', '2026-02-28', '2026-03-01T00:00:00Z'],
    ['day', '2026-03-01T00:00:00.000Z', '2026-03-01', '2026-03-02T00:00:00Z'],
    ['month', '2026-02-28T23:59:59.999Z', '2026-02', '2026-03-01T00:00:00Z'],
    ['month', '2026-12-31T12:00:00.000Z', '2026-12', '2027-01-01T00:00:00Z'],
  ] as const)('%s at %s is %s and ends at %s', (period, time, name, endsAt) => {
    expect(periodAt(period, at(time))).toEqual({ name, endsAt: at(endsAt) })
  })

  test.each([
    ['2028-02', '2028-02-29', 29],
    ['2026-02', '2026-02-28', 28],
    ['2026-12', '2026-12-31', 31],
    ['2026-05-09', '2026-05-09', 1],
  ])('%s has all of its days, to %s', (name, last, count) => {
    const days = daysOf(name)
    expect([days.length, new Set(days).size, days.at(-1)]).toEqual([count, count, last])
    for (const one of days) expect(periodAt('month', at(`${one}T12:00:00Z`)).name).toBe(name.slice(0, 7))
  })
})

test.each<[spent: number, isRejecting: boolean, reached: number[]]>([
  [499, false, []],
  [500, false, [50]],
  [799, false, [50]],
  [800, false, [50, 80]],
  [999, false, [50, 80]],
  [1_000, false, [50, 80, 100]],
  [2_000, false, [50, 80, 100]],
  // A large request may be rejected long before the budget is used up.
  [10, true, []],
  [799, true, [50]],
  [800, true, [50, 80, 100]],
])('%i of 1000 spent, rejecting: %s, reaches %j', (spent, isRejecting, reached) => {
  expect(thresholdsReached(spent, 1_000, isRejecting)).toEqual(reached)
})
