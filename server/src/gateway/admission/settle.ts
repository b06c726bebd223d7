// Turns reservations into spent tokens once calls have ended. The response does not wait for it, and a settlement that
// failed is retried until the store has taken it.

import type { CallAccount } from '../../call/admitted-call.ts'
import type { Log } from '../../domain/log.ts'
import { createSettlementQueue, type SettlementQueue } from '../../kv/settlement-queue.ts'
import { type Admissions, StoreUnavailable } from '../../kv/store.ts'
import type { ProjectConfig } from '../project-config.ts'
import type { ProjectTally } from './project-tally.ts'

export type Ledger = Pick<Admissions, 'settle' | 'checkpoint'>

export interface Settlements extends Pick<SettlementQueue, 'counters' | 'stop'> {
  settle(ledger: Ledger, projectId: string, requestId: string, tokens: number): void
  /** Takes back what an admission with an unknown outcome may have charged. */
  withdraw(ledger: Pick<Admissions, 'withdraw'>, projectId: string, requestId: string): void
  checkpoint(ledger: Ledger, projectId: string, requestId: string, tokens: number): void
}

/** Fewer than may wait, so that there is space left for the settlements of spent tokens. */
const maxWithdrawals = 10_000

export function createSettlements(options: { log: Log; retryEveryMs?: number }): Settlements {
  const { log } = options
  const queue = createSettlementQueue(options)
  return {
    settle: (ledger, projectId, requestId, tokens) =>
      queue.run({ requestId, settle: () => ledger.settle(projectId, requestId, tokens) }),
    withdraw: (ledger, projectId, requestId) =>
      queue.keep({ requestId, settle: () => ledger.withdraw(projectId, requestId) }, maxWithdrawals),
    checkpoint(ledger, projectId, requestId, tokens) {
      ledger.checkpoint(projectId, requestId, tokens).catch((error: unknown) => {
        // The next checkpoint follows within seconds.
        if (!(error instanceof StoreUnavailable)) log.error('checkpoint failed', { request_id: requestId, error })
      })
    },
    counters: queue.counters,
    stop: queue.stop,
  }
}

/** What an admission has reserved. */
export interface Reservation {
  config: ProjectConfig
  tally: ProjectTally
  /** Holds the reservation, and so has to settle it. */
  ledger: Ledger
  /** Tokens that the store reserved, 0 for a request that costs none; null if the store did not decide. */
  reserved: number | null
}

/** Charges the cost of one admitted call to its reservation, and to this process's tally of the project's budget. */
export class ReservationAccount implements CallAccount {
  readonly #settlements: Settlements
  readonly #requestId: string
  readonly #projectId: string
  readonly #tally: ProjectTally
  readonly #ledger: Ledger
  readonly #reserved: number | null
  readonly #day: number

  constructor(settlements: Settlements, requestId: string, { config, tally, ledger, reserved }: Reservation) {
    this.#settlements = settlements
    this.#requestId = requestId
    this.#projectId = config.project.projectId
    this.#tally = tally
    this.#ledger = ledger
    this.#reserved = reserved
    this.#day = tally.day
  }

  checkpoint(tokens: number): void {
    this.#settlements.checkpoint(this.#ledger, this.#projectId, this.#requestId, tokens)
  }

  settle(tokens: number): void {
    this.#settlements.settle(this.#ledger, this.#projectId, this.#requestId, tokens)
    // If the store becomes unavailable or is emptied, the tally counts what this call cost, not what it reserved.
    if (this.#reserved !== null) this.#tally.charge(this.#day, tokens - this.#reserved)
  }
}
