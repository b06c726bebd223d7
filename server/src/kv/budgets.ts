// The part of the store's contract for budgets: what was spent in a period, and what running calls have reserved of it.
// Amounts are whole nano-dollars. For what the platform's keys pay for, an account of the platform takes the place of
// the tenant's id, and amounts may be tokens.

import type { BudgetCounter, BudgetSpend } from '../domain/budgets/budget.ts'
import type { NanoUsd } from '../domain/money.ts'

export interface BudgetDemand extends BudgetCounter {
  limit: NanoUsd
  /** What was spent according to the database; raises the counter. Null if it was not read. */
  spent: NanoUsd | null
  /** How long the counter has to be kept. */
  keepMs: number
}

export interface BudgetRequest {
  tenantId: string
  requestId: string
  /** The replica that settles the reservation, without spaces. */
  holder: string
  /** The most that the call is expected to cost. */
  amount: NanoUsd
  /** What is charged if the replica dies before it reports more. */
  checkpoint: NanoUsd
  /** No two name the same counter. */
  demands: readonly BudgetDemand[]
}

export interface BudgetCount {
  spent: NanoUsd
  reserved: NanoUsd
}

/** `counts` has the order of the demands; null for a counter that the store does not have. */
export interface BudgetReservation {
  /** `unseeded`: a counter is missing, which never means 0: read the database and repeat the call with what it says. */
  outcome: 'reserved' | 'over' | 'unseeded'
  counts: (BudgetCount | null)[]
}

export interface Budgets {
  /**
   * Reserves the amount of all counters, or of none. A retry with a request id whose reservation is open is accepted
   * and reserves nothing more.
   */
  reserveBudgets(request: BudgetRequest): Promise<BudgetReservation>
  /**
   * Replaces the reservation by what the call cost, once, in the periods in which it was reserved. Returns what its
   * counters then say was spent, or null if it was settled before or never made. Call this before the usage row is
   * written: a counter that is raised in between would count the row twice.
   */
  settleBudgets(tenantId: string, requestId: string, amount: NanoUsd): Promise<BudgetSpend[] | null>
  /** Renews the lease of a long stream's reservation; `amount` is charged if the replica dies before it settles. */
  checkpointBudgets(tenantId: string, requestId: string, amount: NanoUsd): Promise<void>
  /** As `sweepReservations`. */
  sweepBudgets(tenantIds: readonly string[], endedHolder?: string): Promise<number>
  /** The counters of a tenant in one period, in no order. */
  findBudgetSpend(tenantId: string, period: string): Promise<BudgetSpend[]>
  /** Raises counters that exist to the database's sums; never lowers them. */
  raiseBudgetSpend(tenantId: string, spends: readonly BudgetSpend[]): Promise<void>
}
