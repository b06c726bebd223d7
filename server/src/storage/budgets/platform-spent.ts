// What the platform's provider keys paid for in a day, according to the usage rows: by tenant, and in all.

import type { Kysely } from 'kysely'
import type { BudgetCounter, BudgetSpend } from '../../domain/budgets/budget.ts'
import type { PlatformMeasure } from '../../domain/budgets/platform-bounds.ts'
import type { Schema } from '../schema.ts'
import { platformScope, scopeOfAll } from './budget-scopes.ts'

type Database = Pick<Kysely<Schema>, 'selectFrom'>

const columnOf = { tokens: 'tokens', usd: 'cost_nanousd' } as const satisfies Record<PlatformMeasure, string>

export async function sumPlatformSpent(sql: Database, measure: PlatformMeasure, counter: BudgetCounter) {
  const [found] = await listPlatformSpent(sql, measure, [{ ...counter, spent: 0 }], counter.period)
  return found?.spent ?? 0
}

/** What the database says of counters of one day. */
export async function listPlatformSpent(
  sql: Database,
  measure: PlatformMeasure,
  counters: readonly BudgetSpend[],
  day: string,
): Promise<BudgetSpend[]> {
  const rows = await sql
    .selectFrom('platform_days')
    .select(['tenant_id', `${columnOf[measure]} as spent`])
    .where('day', '=', day)
    .execute()
  const sums = new Map(rows.map(row => [platformScope(row.tenant_id), Number(row.spent)]))
  sums.set(
    scopeOfAll,
    [...sums.values()].reduce((sum, spent) => sum + spent, 0),
  )
  return counters.map(({ scope }) => ({ period: day, scope, spent: sums.get(scope) ?? 0 }))
}
