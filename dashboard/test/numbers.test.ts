// Costs, prices and durations as the screens show them.
import { expect, test } from 'vitest'
import { describeCost } from '../src/screens/prices/describe-cost.ts'
import { formatMs, formatPrice, formatUsd } from '../src/ui/numbers.ts'

test('a cost is shown in cents from one dollar on, with four decimals below; a price exactly', () => {
  expect([0, 0.000012, 0.026403, 0.096, 0.5, 12.3456].map(formatUsd)).toEqual([
    '$0.00',
    '$0.000012',
    '$0.0264',
    '$0.0960',
    '$0.50',
    '$12.35',
  ])
  expect([0.075, 1.125, 15].map(formatPrice)).toEqual(['$0.075', '$1.125', '$15.00'])
})

test('a duration is shown in milliseconds, seconds or minutes', () => {
  expect([0, 999, 1000, 12_340, 119_900, 120_000, 3_200_000].map(formatMs)).toEqual([
    '0 ms',
    '999 ms',
    '1.0 s',
    '12.3 s',
    '119.9 s',
    '2.0 min',
    '53.3 min',
  ])
})

test('usage without a price is told from usage at a price of 0', () => {
  const describe = (cost_usd: number, price_unknown: boolean) => describeCost({ cost_usd, price_unknown })
  expect([describe(0, false), describe(0, true), describe(2, false), describe(2, true)]).toEqual([
    '$0.00',
    'Price unknown',
    '$2.00',
    'At least $2.00',
  ])
})
