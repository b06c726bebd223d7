// Charges calls to the budgets that are in force for them: reserves the most that a call is expected to cost before its
// provider is called, and settles what it did cost. One call of the store for all budgets, and none without budgets.

import type { Kysely } from 'kysely'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { Store } from '../../kv/store.ts'
import { budgetsRevision, type GivenBudgets, readAllBudgets } from '../../storage/budgets/budget-rows.ts'
import type { Schema } from '../../storage/schema.ts'
import type { RowWatch } from '../../storage/watched-rows.ts'
import type { ChosenTarget } from '../target/choose-target.ts'
import type { Turn } from '../turn.ts'
import { createBudgetAlerts } from './alert-tenants.ts'
import type { BudgetHold } from './budget-hold.ts'
import { Charging } from './charging.ts'
import { estimateCost } from './estimate-cost.ts'
import { type BudgetInForce, findBudgets } from './find-budgets.ts'
import { createSpentReader, sumOfCaller } from './spent-reader.ts'

export type ChargedTurn = Pick<Turn, 'call' | 'request' | 'messages'>

export interface BudgetCharges {
  /** The budgets that were given to tenants and end users; null until they were read. */
  known(): GivenBudgets | null
  /**
   * Null if no budget is in force. Throws a Refusal if a budget does not have the whole estimate left, by the dearest
   * of the targets.
   */
  reserve(
    turn: ChargedTurn,
    targets: readonly Pick<ChosenTarget, 'modelId' | 'prices'>[],
  ): Promise<BudgetHold | null> | null
  /** Waits for the settlements and alerts in progress. */
  stop(): Promise<void>
}

export interface ChargeDependencies {
  sql: Kysely<Schema>
  kv: Pick<Store, 'reserveBudgets' | 'settleBudgets' | 'checkpointBudgets'>
  writeUsage(): Promise<void>
  metrics: Pick<Metrics, 'budgetRefused'>
  replicaId: string
  now: () => number
  log: Log
  /** For tests. */
  retryEveryMs?: number
}

export function createBudgetCharges(dependencies: ChargeDependencies & { rows: RowWatch }): BudgetCharges {
  const { sql, rows, now } = dependencies
  const given = rows.watch(budgetsRevision, () => readAllBudgets(sql))
  const alerts = createBudgetAlerts(dependencies)
  const spent = createSpentReader({ ...dependencies, sum: (caller, counter) => sumOfCaller(sql, caller, counter) })
  const charging = new Charging<BudgetInForce>({ ...dependencies, spent, noteSpent: alerts.note })

  function reserveOf(turn: ChargedTurn, targets: Parameters<BudgetCharges['reserve']>[1], known: GivenBudgets) {
    const { call } = turn
    const budgets = findBudgets(call.verified, call.resolved, known, now())
    if (budgets.length === 0) return null
    return charging.reserve(call.verified, budgets, estimateCost(turn, targets))
  }

  return {
    known: given.find,
    reserve(turn, targets) {
      const known = given.find()
      if (known !== null) return reserveOf(turn, targets, known)
      return (async () => {
        await given.whenLoaded()
        return await reserveOf(turn, targets, given.find() ?? noBudgets)
      })()
    },
    async stop() {
      await charging.stop()
      await alerts.flush()
    },
  }
}

const noBudgets: GivenBudgets = { tenants: new Map(), endUsers: new Map() }
