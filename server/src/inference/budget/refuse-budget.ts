// The refusal of a call that a budget has too little left for, and which budget it was.

import type { BudgetCounter } from '../../domain/budgets/budget.ts'
import type { BoundLevel } from '../../domain/budgets/platform-bounds.ts'
import { Refusal } from '../../domain/errors.ts'
import type { BudgetRefusalReason } from '../../domain/metrics.ts'
import { secondsUntil } from '../../kv/admission-arithmetic.ts'
import type { BudgetCount } from '../../kv/budgets.ts'
import type { Bound } from './bound.ts'

interface DescribedRefusal {
  refusal: Refusal
  level: BoundLevel
  reason: BudgetRefusalReason
}

/** The budget that ends last, of those that are spent; else one that running calls have reserved. */
export function describeRefusal(
  budgets: readonly Bound[],
  amount: number,
  now: number,
  countOf: (counter: BudgetCounter) => BudgetCount | null | undefined,
): DescribedRefusal {
  const counted = budgets.map(budget => ({ budget, count: countOf(budget.counter) ?? { spent: 0, reserved: 0 } }))
  const isOver = ({ budget, count }: (typeof counted)[number], used: number) =>
    count.spent + used + amount > budget.limit
  const spent = counted.filter(each => isOver(each, 0)).sort((a, b) => b.budget.endsAt - a.budget.endsAt)[0]
  if (spent !== undefined) {
    const { level, period, endsAt } = spent.budget
    const message = `The ${nameOf(spent.budget)} is used up`
    const retryAfterSeconds = secondsUntil(endsAt, now)
    const refusal = new Refusal('insufficient_quota', { message, retryAfterSeconds, exceeded: { level, period } })
    return { refusal, level, reason: 'spent' }
  }
  const reserved = counted.find(each => isOver(each, each.count.reserved))
  if (reserved === undefined) throw new Error('a refused call is over no budget')
  const { budget, count } = reserved
  const { level, period } = budget
  // Longer, the more of the budget is reserved. The calls end within seconds, but it is unknown when.
  const retryAfterSeconds = Math.min(5, Math.max(1, Math.ceil((5 * count.reserved) / budget.limit)))
  const message = `Running requests have reserved what is left of the ${nameOf(budget)}`
  const refusal = new Refusal('insufficient_quota', { message, retryAfterSeconds, exceeded: { level, period } })
  return { refusal, level, reason: 'reserved' }
}

function nameOf({ level, period }: Bound): string {
  return level === 'platform' ? `platform's budget of the ${period}` : `budget of the ${period}`
}
