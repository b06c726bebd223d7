// What was spent according to the usage rows, by the days to whose budgets it was charged: usually the day of the row,
// and the day of the reservation if the answer ended on a later one.

import { type Kysely, type SqlBool, sql as text } from 'kysely'
import { type BudgetSpend, daysOf } from '../../domain/budgets/budget.ts'
import type { NanoUsd } from '../../domain/money.ts'
import { sumOf } from '../bounded-sums.ts'
import type { Schema } from '../schema.ts'
import { projectOfUserScope, projectScope, tenantScope, userScope } from './budget-scopes.ts'

type Database = Pick<Kysely<Schema>, 'selectFrom'>

export interface Spender {
  tenantId: string
  /** Null for all projects of the tenant. */
  projectId: string | null
  /** Null for all users. */
  userId: string | null
}

export async function sumSpent(sql: Database, spender: Spender, period: string): Promise<NanoUsd> {
  const rows = await listSpent(sql, spender, period, false)
  return rows.reduce((sum, { nanousd }) => sum + nanousd, 0)
}

/** What the database says of counters of one tenant and period. */
export async function listSpentOfCounters(
  sql: Database,
  tenantId: string,
  counters: readonly BudgetSpend[],
  period: string,
): Promise<BudgetSpend[]> {
  const projectsWithUsers = new Set(counters.map(({ scope }) => projectOfUserScope(scope)).filter(id => id !== null))
  const spender = { tenantId, projectId: null, userId: null }
  const rows = await listSpent(sql, spender, period, projectsWithUsers.size > 0)
  const sums = new Map<string, NanoUsd>()
  const add = (scope: string, nanousd: NanoUsd) => sums.set(scope, (sums.get(scope) ?? 0) + nanousd)
  for (const { projectId, userId, nanousd } of rows) {
    add(tenantScope, nanousd)
    add(projectScope(projectId), nanousd)
    if (projectsWithUsers.has(projectId)) add(userScope({ projectId, userId }), nanousd)
  }
  return counters.map(({ scope }) => ({ period, scope, spent: Math.max(0, sums.get(scope) ?? 0) }))
}

/** In one statement, so that a row that is added meanwhile is in both parts or in none. */
async function listSpent(sql: Database, spender: Spender, period: string, isByUser: boolean) {
  const days = daysOf(period)
  const user = isByUser ? text<string>`user_id` : text<string>`''`
  // PostgreSQL rejects a constant in `group by`.
  const key = isByUser ? (['project_id', 'user_id'] as const) : (['project_id'] as const)
  const within = (column: 'day' | 'budget_day') =>
    text<NanoUsd>`case when ${text.ref(column)} in (${text.join(days)}) then cost_nanousd else 0 end`
  const rows = await sql
    .selectFrom('usage_days')
    .select(['project_id', user.as('userId'), sumOf('cost_nanousd').as('nanousd')])
    .where(isOf(spender))
    .where('day', 'in', days)
    .groupBy(key)
    .unionAll(
      sql
        .selectFrom('usage_records')
        .select(['project_id', user.as('userId')])
        .select(sumOf(text`${within('budget_day')} - ${within('day')}`).as('nanousd'))
        .where(isOf(spender))
        .where('budget_day', 'is not', null)
        .groupBy(key),
    )
    .execute()
  return rows.map(({ project_id, userId, nanousd }) => ({
    projectId: project_id,
    userId,
    nanousd: Number(nanousd ?? 0),
  }))
}

function isOf({ tenantId, projectId, userId }: Spender) {
  const project =
    projectId === null
      ? text<SqlBool>`project_id in (select id from projects where tenant_id = ${tenantId})`
      : text<SqlBool>`project_id = ${projectId}`
  return userId === null ? project : text<SqlBool>`${project} and user_id = ${userId}`
}
