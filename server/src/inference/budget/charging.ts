// Charges calls to counters of the key-value store: reserves an amount of all counters of a call, or of none, and
// settles what the call did cost. Counts by the database while the store is unavailable.

import type { BudgetCounter, BudgetSpend } from '../../domain/budgets/budget.ts'
import type { Verified } from '../../domain/caller.ts'
import { dayMs } from '../../domain/day.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { BudgetDemand, BudgetRequest, BudgetReservation, Budgets } from '../../kv/budgets.ts'
import { createProcessBudgets } from '../../kv/process/budgets.ts'
import { createSettlementQueue } from '../../kv/settlement-queue.ts'
import { type Store, StoreUnavailable } from '../../kv/store.ts'
import { sparseLogOf } from '../../log/sparse-log.ts'
import type { Bound, Estimate } from './bound.ts'
import { BudgetHold } from './budget-hold.ts'
import { describeRefusal } from './refuse-budget.ts'
import type { SpentReader } from './spent-reader.ts'

export interface ChargingDependencies<Each extends Bound> {
  kv: Pick<Store, 'reserveBudgets' | 'settleBudgets' | 'checkpointBudgets'>
  metrics: Pick<Metrics, 'budgetRefused'>
  replicaId: string
  now: () => number
  log: Log
  spent: SpentReader
  /** Gets what was spent of a bound. `isRejecting` if what is left has just been too little for a request. */
  noteSpent(caller: Verified, bound: Each, spent: number, isRejecting: boolean): void
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

/** One for each counter, by the smallest of its bounds. */
function demandsOf(bounds: readonly Bound[], now: number): BudgetDemand[] {
  const demands = new Map<string, BudgetDemand>()
  for (const { counter, limit, endsAt } of bounds) {
    const key = keyOf(counter)
    const known = demands.get(key)
    if (known === undefined) demands.set(key, { ...counter, limit, spent: null, keepMs: endsAt - now + keptAfterMs })
    else known.limit = Math.min(known.limit, limit)
  }
  return [...demands.values()]
}

const keyOf = ({ period, scope }: BudgetCounter) => `${period} ${scope}`

export class Charging<Each extends Bound> {
  readonly #dependencies: ChargingDependencies<Each>
  readonly #settlements: ReturnType<typeof createSettlementQueue>
  /** Counts while the store is unavailable. */
  readonly #local: ReturnType<typeof createProcessBudgets>
  readonly #sweeper: NodeJS.Timeout
  /** Counters that were charged here during an outage: the store's are raised before they are used again. */
  readonly #uncounted = new Set<string>()

  constructor(dependencies: ChargingDependencies<Each>) {
    const { now } = dependencies
    this.#dependencies = dependencies
    this.#settlements = createSettlementQueue(dependencies)
    this.#local = createProcessBudgets(now)
    this.#sweeper = setInterval(() => this.#local.sweep(now()), sweepMs).unref()
  }

  /** The caller's tenant, or what is in its place, has the counters. Throws a Refusal beyond a bound. */
  async reserve(caller: Verified, bounds: readonly Each[], { amount, prompt }: Estimate): Promise<BudgetHold> {
    const { now, metrics, noteSpent, replicaId: holder } = this.#dependencies
    const { tenantId, requestId } = caller
    const time = now()
    const request = { tenantId, requestId, holder, amount, checkpoint: prompt, demands: demandsOf(bounds, time) }
    const { ledger, reservation } = await this.#reserveAnywhere(caller, request)
    if (reservation.outcome !== 'reserved') {
      const counts = new Map(request.demands.map((demand, at) => [keyOf(demand), reservation.counts[at] ?? null]))
      for (const bound of bounds) {
        const spent = counts.get(keyOf(bound.counter))?.spent ?? 0
        noteSpent(caller, bound, spent, spent + amount > bound.limit)
      }
      const { refusal, level, reason } = describeRefusal(bounds, amount, time, counter => counts.get(keyOf(counter)))
      metrics.budgetRefused(level, reason)
      throw refusal
    }
    return new BudgetHold(new Date(time).toISOString().slice(0, 10), {
      now,
      settle: cost => this.#settle(ledger, caller, bounds, cost),
      checkpoint: cost => this.#checkpoint(ledger, caller, cost),
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
      this.#dependencies.spent.note(tenantId, demand, reservation.counts[at]?.spent ?? 0)
    }
    return reservation
  }

  /** The request with what the database says was spent. */
  async #withSpent(caller: Verified, request: BudgetRequest, maxAgeMs: number): Promise<BudgetRequest> {
    const demands = request.demands.map(async demand => ({
      ...demand,
      spent: await this.#dependencies.spent.read(caller, demand, maxAgeMs),
    }))
    return { ...request, demands: await Promise.all(demands) }
  }

  #settle(ledger: Ledger, caller: Verified, bounds: readonly Each[], amount: number): void {
    const { tenantId, requestId } = caller
    this.#settlements.run({
      requestId,
      settle: async () => {
        const spends = await ledger.settleBudgets(tenantId, requestId, amount)
        if (amount > 0) this.#noteSpends(caller, bounds, spends ?? [])
        return outcomeOf(spends)
      },
    })
  }

  #noteSpends(caller: Verified, bounds: readonly Each[], spends: readonly BudgetSpend[]): void {
    const spentOf = new Map(spends.map(spend => [keyOf(spend), spend.spent]))
    for (const bound of bounds) {
      const spent = spentOf.get(keyOf(bound.counter))
      if (spent !== undefined) this.#dependencies.noteSpent(caller, bound, spent, false)
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
  }
}

function outcomeOf(spends: readonly BudgetSpend[] | null): 'settled' | 'unknown' {
  return spends === null ? 'unknown' : 'settled'
}
