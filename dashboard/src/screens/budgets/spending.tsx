// What was spent in the running day and month: a bar of the budget's share, and the same in words.
import { Badge } from '../../ui/badge.tsx'
import { formatShare, formatUsd } from '../../ui/numbers.ts'
import { UtcTime } from '../../ui/time.tsx'
import { type BudgetPeriod, budgetPeriods, describeBudget } from './budget-values.ts'
import type { SpentBudgets } from './queries.ts'

const noBudget: Record<BudgetPeriod, string> = { day: 'no daily budget', month: 'no monthly budget' }
const titles: Record<BudgetPeriod, string> = { day: 'Today', month: 'This month' }

export function Spending({ budgets: { budgets, spent_usd, period_ends } }: { budgets: SpentBudgets }) {
  return (
    <dl className="grid gap-4 sm:not-in-data-framed:grid-cols-2">
      {budgetPeriods.map(period => {
        const limit = budgets.find(budget => budget.period === period)?.usd ?? null
        return (
          <div
            key={period}
            className="flex flex-col gap-1 rounded-lg border border-line p-3 in-data-framed:border-0 in-data-framed:p-0"
          >
            <dt className="text-sm text-soft">
              {titles[period]}, until <UtcTime iso={period_ends[period]} />
            </dt>
            <dd className="flex flex-col gap-1">
              <Spent usd={spent_usd[period]} limit={limit} period={period} />
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** The API reports a budget to the tenant at this share, too. */
const nearlyAll = 0.8

function Spent({ usd, limit, period }: { usd: number; limit: number | null; period: BudgetPeriod }) {
  if (limit === null) {
    return (
      <p>
        {formatUsd(usd)} spent, {noBudget[period]}
      </p>
    )
  }
  const share = usd / limit
  return (
    <>
      <p className="flex flex-wrap gap-x-3">
        {formatUsd(usd)} spent of {describeBudget({ usd: limit, period })}
        {share >= 1 && <Badge tone="danger">Used up</Badge>}
        {share >= nearlyAll && share < 1 && <Badge tone="warn">Nearly used up</Badge>}
      </p>
      {/* The words around it say the same. */}
      <svg aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none" className="h-2 w-full">
        <rect width="100" height="4" className="fill-line" />
        <rect width={100 * Math.min(1, share)} height="4" className={fillOf(share)} />
      </svg>
      <p className="text-sm text-soft">
        {formatShare(usd, limit)} spent, {formatUsd(Math.max(0, limit - usd))} left
      </p>
    </>
  )
}

function fillOf(share: number): string {
  if (share >= 1) return 'fill-chart-danger'
  return share >= nearlyAll ? 'fill-chart-warn' : 'fill-chart-accent'
}
