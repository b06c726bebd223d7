// What one call has reserved of its budgets, until it is settled.

import type { NanoUsd } from '../../domain/money.ts'

export interface HoldAccount {
  settle(amount: NanoUsd): void
  checkpoint(amount: NanoUsd): void
  now(): number
}

/** How often the cost of a long answer is reported. */
const checkpointMs = 5_000

export class BudgetHold {
  /** The day of the budgets that the call is charged to, `2026-11-24`. */
  readonly day: string
  readonly #account: HoldAccount
  #isSettled = false
  #checkpointAt: number

  constructor(day: string, account: HoldAccount) {
    this.day = day
    this.#account = account
    this.#checkpointAt = account.now() + checkpointMs
  }

  /** Reports the cost of the answer so far. `count` is called only when a report is due. */
  checkpoint(count: () => NanoUsd): void {
    const now = this.#account.now()
    if (this.#isSettled || now < this.#checkpointAt) return
    this.#checkpointAt = now + checkpointMs
    this.#account.checkpoint(count())
  }

  /** Settles what the call cost; only the first call counts. */
  settle(amount: NanoUsd): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#account.settle(amount)
  }

  /** Call this when the call has ended: one that was not settled has cost nothing. */
  release(): void {
    this.settle(0)
  }
}
