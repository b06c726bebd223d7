// Reports budgets that have reached a threshold to their tenants, outside requests. An alert that could not be recorded
// is recorded by the next call that is charged to the budget.

import type { Kysely } from 'kysely'
import { type AlertThreshold, thresholdsReached } from '../../domain/budgets/budget-alerts.ts'
import type { Verified } from '../../domain/caller.ts'
import type { Log } from '../../domain/log.ts'
import type { NanoUsd } from '../../domain/money.ts'
import { sparseLogOf } from '../../log/sparse-log.ts'
import { recordBudgetAlert } from '../../storage/budgets/record-alert.ts'
import type { Schema } from '../../storage/schema.ts'
import type { BudgetInForce } from './find-budgets.ts'

export interface BudgetAlerts {
  /** Never waits. `isRejecting` if what is left of the budget has just been too little for a request. */
  note(caller: Verified, budget: BudgetInForce, spent: NanoUsd, isRejecting: boolean): void
  /** Resolves when the alerts noted so far are recorded, or could not be. */
  flush(): Promise<void>
}

interface AlertDependencies {
  sql: Kysely<Schema>
  now: () => number
  log: Log
}

/** Beyond this all are dropped; the database knows which alerts were recorded. */
const maxRecorded = 10_000

export function createBudgetAlerts({ sql, now, log }: AlertDependencies): BudgetAlerts {
  const recorded = new Set<string>()
  const recording = new Set<Promise<void>>()

  const keyOf = ({ tenantId }: Verified, { counter, id }: BudgetInForce, threshold: AlertThreshold) =>
    `${tenantId} ${counter.period} ${id} ${threshold}`

  async function record(caller: Verified, budget: BudgetInForce, thresholds: readonly AlertThreshold[]) {
    const { tenantId } = caller
    const { level, id, usd, period, counter } = budget
    const projectId = level === 'tenant' ? null : caller.projectId
    const alert = { tenantId, projectId, level, budget: id, usd, period, periodName: counter.period }
    for (const threshold of thresholds) {
      try {
        await recordBudgetAlert(sql, { ...alert, threshold, at: now() })
      } catch (error) {
        recorded.delete(keyOf(caller, budget, threshold))
        sparseLogOf(log).warn('alert of a budget could not be recorded', '', { tenant_id: tenantId, error })
      }
    }
  }

  return {
    note(caller, budget, spent, isRejecting) {
      const reached = thresholdsReached(spent, budget.limit, isRejecting)
      const added = reached.filter(threshold => !recorded.has(keyOf(caller, budget, threshold)))
      if (added.length === 0) return
      if (recorded.size >= maxRecorded) recorded.clear()
      for (const threshold of added) recorded.add(keyOf(caller, budget, threshold))
      const work: Promise<void> = record(caller, budget, added).finally(() => recording.delete(work))
      recording.add(work)
    },
    async flush() {
      await Promise.all(recording)
    },
  }
}
