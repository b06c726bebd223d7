// Costs and prices as the screens show them.
import { expect, test } from 'vitest'
import { formatPrice, formatUsd } from '../src/ui/numbers.ts'

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
