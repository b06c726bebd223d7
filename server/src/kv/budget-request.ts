// Checks the amounts of a reservation of budgets, for both stores.

import type { NanoUsd } from '../domain/money.ts'
import { assertCount } from './admission-arithmetic.ts'
import type { BudgetRequest } from './budgets.ts'

/** What a counter can hold: far above every budget. */
export const maxSpent: NanoUsd = Number.MAX_SAFE_INTEGER

export function assertBudgetRequest({ amount, checkpoint, demands }: BudgetRequest): void {
  assertCount(amount)
  assertCount(checkpoint)
  for (const { limit, spent, keepMs } of demands) {
    assertCount(limit)
    assertCount(keepMs)
    if (spent !== null) assertCount(spent)
  }
}
