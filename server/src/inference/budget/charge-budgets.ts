// Charges calls to the budgets that are in force for them: reserves the most that a call is expected to cost before its
// provider is called, and settles what it did cost. One call of the store for all budgets, and none without budgets.

import type { Kysely } from 'kysely'
import type { BudgetCounter, BudgetSpend } from '../../domain/budgets/budget.ts'
import type { Verified } from '../../domain/caller.ts'
import { dayMs } from '../../domain/day.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { ResolvedConfig } from '../../domain/settings/live-config.ts'
import type { BudgetDemand, BudgetRequest, BudgetReservation, Budgets } from '../../kv/budgets.ts'
import { createProcessBudgets } from '../../kv/process/budgets.ts'
import { createSettlementQueue } from '../../kv/settlement-queue.ts'
import { type Store, StoreUnavailable } from '../../kv/store.ts'
import { sparseLogOf } from '../../log/sparse-log.ts'
import { budgetsRevision, type GivenBudgets, readAllBudgets } from '../../storage/budgets/budget-rows.ts'
import type { Schema } from '../../storage/schema.ts'
import { watchRows } from '../../storage/watched-rows.ts'
import type { ChosenTarget } from '../target/choose-target.ts'
import type { Turn } from '../turn.ts'
import { createBudgetAlerts } from './alert-tenants.ts'
import { BudgetHold } from './budget-hold.ts'
import { estimateCost } from './estimate-cost.ts'
import { type BudgetInForce, findBudgets } from './find-budgets.ts'
import { describeRefusal } from './refuse-budget.ts'
import { createSpentReader } from './spent-reader.ts'

export type ChargedTurn = Pick<Turn, 'call' | 'request' | 'messages'>

export interface BudgetCharges {
  /** False if no budget can be in force. */
  mayCharge(resolved: Pick<ResolvedConfig, 'budgets'>): boolean
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

type Ledger = Pick<Budgets, 'reserveBudgets' | 'settleBudgets' | 'checkpointBudgets'>

/** Counters are kept for longer than their period, for calls that end after it. */
const keptAfterMs = 2 * dayMs
/** How old the database's sums may be while the store is unavailable. */
const outageAgeMs = 1_000
const sweepMs = 60_000
/** Beyond this all are dropped. */
const maxCounters = 100_000

export function createBudgetCharges(dependencies: ChargeDependencies): BudgetCharges {
  const { sql, now, log, replicaId: holder } = dependencies
  const given = watchRows({
    sql,
    revision: budgetsRevision,
    read: () => readAllBudgets(sql),
    now,
    onFailure: error => log.warn('budgets could not be read', { error }),
  })
  const charging = new Charging(dependencies)

  function reserveOf(turn: ChargedTurn, targets: Parameters<BudgetCharges['reserve']>[1], known: GivenBudgets) {
    const { call } = turn
    const time = now()
    const budgets = findBudgets(call.verified, call.resolved, known, time)
    if (budgets.length === 0) return null
    const { amount, prompt } = estimateCost(turn, targets)
    const { tenantId, requestId } = call.verified
    const request = { tenantId, requestId, holder, amount, checkpoint: prompt, demands: demandsOf(budgets, time) }
    return charging.reserve(call.verified, budgets, request, time)
  }

  return {
    mayCharge({ budgets: { project, tier } }) {
      const known = given.find()
      if (known === null || project.length > 0 || tier.length > 0) return true
      return known.tenants.size > 0 || known.endUsers.size > 0
    },
    reserve(turn, targets) {
      const known = given.find()
      if (known !== null) return reserveOf(turn, targets, known)
      return (async () => {
        await given.whenLoaded()
        return await reserveOf(turn, targets, given.find() ?? noBudgets)
      })()
    },
    async stop() {
      given.stop()
      await charging.stop()
    },
  }
}

const noBudgets: GivenBudgets = { tenants: new Map(), endUsers: new Map() }

/** One for each counter, by the smallest of its budgets. */
function demandsOf(budgets: readonly BudgetInForce[], now: number): BudgetDemand[] {
  const demands = new Map<string, BudgetDemand>()
  for (const { counter, limit, endsAt } of budgets) {
    const key = keyOf(counter)
    const known = demands.get(key)
    if (known === undefined) demands.set(key, { ...counter, limit, spent: null, keepMs: endsAt - now + keptAfterMs })
    else known.limit = Math.min(known.limit, limit)
  }
  return [...demands.values()]
}

const keyOf = ({ period, scope }: BudgetCounter) => `${period} ${scope}`

class Charging {
  readonly #dependencies: ChargeDependencies
  readonly #spent: ReturnType<typeof createSpentReader>
  readonly #alerts: ReturnType<typeof createBudgetAlerts>
  readonly #settlements: ReturnType<typeof createSettlementQueue>
  /** Counts while the store is unavailable. */
  readonly #local: ReturnType<typeof createProcessBudgets>
  readonly #sweeper: NodeJS.Timeout
  /** Counters that were charged here during an outage: the store's are raised before they are used again. */
  readonly #uncounted = new Set<string>()

  constructor(dependencies: ChargeDependencies) {
    const { now } = dependencies
    this.#dependencies = dependencies
    this.#spent = createSpentReader(dependencies)
    this.#alerts = createBudgetAlerts(dependencies)
    this.#settlements = createSettlementQueue(dependencies)
    this.#local = createProcessBudgets(now)
    this.#sweeper = setInterval(() => this.#local.sweep(now()), sweepMs).unref()
  }

  async reserve(
    caller: Verified,
    budgets: readonly BudgetInForce[],
    request: BudgetRequest,
    time: number,
  ): Promise<BudgetHold> {
    const { now, metrics } = this.#dependencies
    const { ledger, reservation } = await this.#reserveAnywhere(caller, request)
    if (reservation.outcome !== 'reserved') {
      const counts = new Map(request.demands.map((demand, at) => [keyOf(demand), reservation.counts[at] ?? null]))
      for (const budget of budgets) {
        const spent = counts.get(keyOf(budget.counter))?.spent ?? 0
        this.#alerts.note(caller, budget, spent, spent + request.amount > budget.limit)
      }
      const { refusal, level, reason } = describeRefusal(budgets, request.amount, time, counter =>
        counts.get(keyOf(counter)),
      )
      metrics.budgetRefused(level, reason)
      throw refusal
    }
    return new BudgetHold(new Date(time).toISOString().slice(0, 10), {
      now,
      settle: amount => this.#settle(ledger, caller, budgets, amount),
      checkpoint: amount => this.#checkpoint(ledger, caller, amount),
    })
  }

  async #reserveAnywhere(
    caller: Verified,
    request: BudgetRequest,
  ): Promise<{ ledger: Ledger; reservation: BudgetReservation }> {
    const { kv } = this.#dependencies
    try {
      return { ledger: kv, reservation: await this.#reserveInStore(caller, request) }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      // The store may have reserved it.
      const { tenantId, requestId } = request
      this.#settlements.run({
        requestId,
        settle: async () => outcomeOf(await kv.settleBudgets(tenantId, requestId, 0)),
      })
      const { log } = this.#dependencies
      sparseLogOf(log).warn('store is unreachable, counting budgets by the database', '', { error })
      if (this.#uncounted.size >= maxCounters) this.#uncounted.clear()
      for (const demand of request.demands) this.#uncounted.add(`${tenantId} ${keyOf(demand)}`)
      const known = await this.#withSpent(caller, request, outageAgeMs)
      return { ledger: this.#local.intentions, reservation: await this.#local.intentions.reserveBudgets(known) }
    }
  }

  async #reserveInStore(caller: Verified, request: BudgetRequest): Promise<BudgetReservation> {
    const { kv } = this.#dependencies
    const { tenantId, demands } = request
    const nameOf = (counter: BudgetCounter) => `${tenantId} ${keyOf(counter)}`
    const isUncounted = this.#uncounted.size > 0 && demands.some(demand => this.#uncounted.has(nameOf(demand)))
    let reservation = await kv.reserveBudgets(isUncounted ? await this.#withSpent(caller, request, 0) : request)
    if (reservation.outcome === 'unseeded') {
      reservation = await kv.reserveBudgets(await this.#withSpent(caller, request, 0))
    }
    if (isUncounted) for (const demand of demands) this.#uncounted.delete(nameOf(demand))
    for (const [at, demand] of demands.entries()) {
      this.#spent.note(tenantId, demand, reservation.counts[at]?.spent ?? 0)
    }
    return reservation
  }

  /** The request with what the database says was spent. */
  async #withSpent(caller: Verified, request: BudgetRequest, maxAgeMs: number): Promise<BudgetRequest> {
    const demands = request.demands.map(async demand => ({
      ...demand,
      spent: await this.#spent.read(caller, demand, maxAgeMs),
    }))
    return { ...request, demands: await Promise.all(demands) }
  }

  #settle(ledger: Ledger, caller: Verified, budgets: readonly BudgetInForce[], amount: number): void {
    const { tenantId, requestId } = caller
    this.#settlements.run({
      requestId,
      settle: async () => {
        const spends = await ledger.settleBudgets(tenantId, requestId, amount)
        if (amount > 0) this.#noteSpends(caller, budgets, spends ?? [])
        return outcomeOf(spends)
      },
    })
  }

  #noteSpends(caller: Verified, budgets: readonly BudgetInForce[], spends: readonly BudgetSpend[]): void {
    const spentOf = new Map(spends.map(spend => [keyOf(spend), spend.spent]))
    for (const budget of budgets) {
      const spent = spentOf.get(keyOf(budget.counter))
      if (spent !== undefined) this.#alerts.note(caller, budget, spent, false)
    }
  }

  #checkpoint(ledger: Ledger, { tenantId, requestId }: Verified, amount: number): void {
    const { log } = this.#dependencies
    ledger.checkpointBudgets(tenantId, requestId, amount).catch((error: unknown) => {
      // The next checkpoint follows within seconds.
      if (!(error instanceof StoreUnavailable)) log.error('checkpoint failed', { request_id: requestId, error })
    })
  }

  async stop(): Promise<void> {
    clearInterval(this.#sweeper)
    await this.#settlements.stop()
    await this.#alerts.flush()
  }
}

function outcomeOf(spends: readonly BudgetSpend[] | null): 'settled' | 'unknown' {
  return spends === null ? 'unknown' : 'settled'
}
