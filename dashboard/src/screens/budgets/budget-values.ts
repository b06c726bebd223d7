// Budgets of money as the texts of their controls, back, and in words.
import type { ManagementRoutes } from '@sallyport/sdk'
import { formatPrice } from '../../ui/numbers.ts'

export type Budget = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/budgets']['output']['budgets'][number]
export type BudgetPeriod = Budget['period']

export const budgetPeriods: readonly BudgetPeriod[] = ['day', 'month']

/** The amount of each period; empty: no budget. */
export type BudgetTexts = Record<BudgetPeriod, string>

/** The name of the control of a period. */
export const controlOfBudget = (period: BudgetPeriod): string => `budgets.${period}`

/** Equal budgets give equal texts. */
export function toBudgetTexts(budgets: readonly Budget[]): BudgetTexts {
  const textOf = (period: BudgetPeriod): string => {
    const budget = budgets.find(one => one.period === period)
    return budget === undefined ? '' : toDecimal(budget.usd)
  }
  return { day: textOf('day'), month: textOf('month') }
}

/** Small numbers would be written as 1e-7, which nobody types. */
function toDecimal(usd: number): string {
  return String(usd).includes('e') ? usd.toFixed(9).replace(/0+$/, '') : String(usd)
}

const minUsd = 0.000001
const maxUsd = 1_000_000

/**
 * Throws an error whose message begins with the name of the control, so that the form shows it there: the API's message
 * names the whole list.
 */
export function fromBudgetTexts(texts: BudgetTexts): Budget[] {
  return budgetPeriods.flatMap(period => {
    const text = texts[period].trim()
    return text === '' ? [] : [{ usd: readUsd(period, text), period }]
  })
}

function readUsd(period: BudgetPeriod, text: string): number {
  const usd = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (usd >= minUsd && usd <= maxUsd) return usd
  throw new Error(`${controlOfBudget(period)} must be dollars from 0.000001 to 1000000, such as 2.50`)
}

/** Such as: $50.00 a month. */
export const describeBudget = ({ usd, period }: Budget): string => `${formatPrice(usd)} a ${period}`
