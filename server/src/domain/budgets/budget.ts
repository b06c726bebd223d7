// A budget: how much may be spent in a day or a month of UTC. Its check, and the periods that a time lies in.

import { accept, type Checked, refuse } from '../checked.ts'
import { dayMs } from '../day.ts'
import { isJsonObject } from '../json-object.ts'
import type { NanoUsd } from '../money.ts'

export const budgetPeriods = ['day', 'month'] as const
export type BudgetPeriod = (typeof budgetPeriods)[number]

export interface Budget {
  usd: number
  period: BudgetPeriod
}

/** What is counted: all calls of a tenant, of a project, or of one end user, in one period. */
export interface BudgetCounter {
  /** A month or day of UTC: `2026-11` or `2026-11-24`. */
  period: string
  /** Without spaces. */
  scope: string
}

export interface BudgetSpend extends BudgetCounter {
  spent: NanoUsd
}

const minBudgetUsd = 0.000001
const maxBudgetUsd = 1_000_000

const nanoPerUsd = 1_000_000_000

/** Describes the accepted values. */
export const budgetValues =
  `an array of {usd: a number ${minBudgetUsd.toFixed(6)}-${maxBudgetUsd}, period: one of ${budgetPeriods.join(', ')}}, ` +
  'at most one of each period'

export const budgetsSchema = {
  type: 'array',
  maxItems: budgetPeriods.length,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['usd', 'period'],
    properties: {
      usd: { type: 'number', minimum: minBudgetUsd, maximum: maxBudgetUsd },
      period: { type: 'string', enum: [...budgetPeriods] },
    },
  },
}

/** Null means no budgets. */
export function checkBudgets(value: unknown, field: string): Checked<Budget[]> {
  const list = value ?? []
  const budgets = Array.isArray(list) ? list.map(readBudget) : [null]
  const found = budgets.filter(budget => budget !== null)
  const periods = new Set(found.map(({ period }) => period))
  const isValid = found.length === budgets.length && periods.size === budgets.length
  return isValid ? accept(found) : refuse(`${field} must be ${budgetValues}`)
}

function readBudget(value: unknown): Budget | null {
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return null
  const period = budgetPeriods.find(one => one === value['period'])
  const { usd } = value
  const isAmount = typeof usd === 'number' && usd >= minBudgetUsd && usd <= maxBudgetUsd
  return period !== undefined && isAmount ? { usd, period } : null
}

/** Exact to the nano-dollar, because a budget has at most 15 digits before them. */
export function limitOf({ usd }: Budget): NanoUsd {
  return Math.round(usd * nanoPerUsd)
}

/** The day of UTC, `2026-11-24`, and when it ends. */
export interface PeriodAt {
  name: string
  endsAt: number
}

export function periodAt(period: BudgetPeriod, time: number): PeriodAt {
  const day = new Date(time).toISOString().slice(0, 10)
  if (period === 'day') return { name: day, endsAt: (Math.floor(time / dayMs) + 1) * dayMs }
  const [year, month] = day.split('-').map(Number)
  return { name: day.slice(0, 7), endsAt: Date.UTC(year ?? 0, month ?? 0) }
}

/** The days of a period by its name. */
export function daysOf(name: string): string[] {
  if (name.length > 'YYYY-MM'.length) return [name]
  const [year, month] = name.split('-').map(Number)
  const count = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate()
  return Array.from({ length: count }, (_, at) => `${name}-${String(at + 1).padStart(2, '0')}`)
}
