// Records that a budget has reached a threshold: once in a period, whichever replicas notice it.

import type { Kysely } from 'kysely'
import type { BudgetPeriod } from '../../domain/budgets/budget.ts'
import type { AlertThreshold, BudgetLevel } from '../../domain/budgets/budget-alerts.ts'
import type { Schema } from '../schema.ts'
import { transact } from '../transact.ts'
import { recordTenantEvent } from '../webhooks/tenant-events.ts'

export interface BudgetAlert {
  tenantId: string
  /** Null for a budget of the tenant. */
  projectId: string | null
  level: BudgetLevel
  /** Identifies the budget among those of the tenant. */
  budget: string
  usd: number
  period: BudgetPeriod
  /** `2026-11` or `2026-11-24`. */
  periodName: string
  threshold: AlertThreshold
  at: number
}

/** No-op if it was recorded before. */
export async function recordBudgetAlert(sql: Kysely<Schema>, alert: BudgetAlert): Promise<void> {
  const { tenantId, projectId, level, budget, usd, period, periodName, threshold, at } = alert
  await transact(sql, async trx => {
    const added = await trx
      .insertInto('budget_alerts')
      .values({ tenant_id: tenantId, period: periodName, budget, threshold, created_at: at })
      .onConflict(conflict => conflict.columns(['tenant_id', 'period', 'budget', 'threshold']).doNothing())
      .returning('threshold')
      .executeTakeFirst()
    if (added === undefined) return
    const data = { level, threshold, usd, period }
    await recordTenantEvent(trx, { tenantId, projectId, at }, { type: 'budget_alert', data })
  })
}

/** Deletes at most `limit` of the records before that time; returns how many. */
export async function deleteOldBudgetAlerts(sql: Kysely<Schema>, before: number, limit: number): Promise<number> {
  const key = ['tenant_id', 'period', 'budget', 'threshold'] as const
  const { numDeletedRows } = await sql
    .deleteFrom('budget_alerts')
    .where(row =>
      row(
        row.refTuple(...key),
        'in',
        row
          .selectFrom('budget_alerts')
          .select(key)
          .where('created_at', '<', before)
          .orderBy('created_at')
          .limit(limit)
          .$asTuple(...key),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
