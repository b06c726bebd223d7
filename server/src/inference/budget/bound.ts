// What bounds the calls that are charged to a counter, and what a call is expected to cost.

import type { BudgetCounter, BudgetPeriod } from '../../domain/budgets/budget.ts'
import type { BoundLevel } from '../../domain/budgets/platform-bounds.ts'

/** What may be charged to one counter in a period. Amounts are nano-dollars, or tokens. */
export interface Bound {
  level: BoundLevel
  limit: number
  period: BudgetPeriod
  endsAt: number
  /** Bounds of one end user share their counter. */
  counter: BudgetCounter
}

export interface Estimate {
  /** The most that the call is expected to cost. */
  amount: number
  /** What its prompt alone costs. */
  prompt: number
}
