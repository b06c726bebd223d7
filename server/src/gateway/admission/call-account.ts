// Charges the cost of one admitted call to its reservation, and to this process's tally of the project's budget.

import type { CallAccount } from '../../call/admitted-call.ts'
import type { Admitted } from './admit.ts'
import type { ProjectTally } from './project-tally.ts'
import type { Settlements } from './settle.ts'

export class ReservationAccount implements CallAccount {
  readonly #settlements: Settlements
  readonly #requestId: string
  readonly #projectId: string
  readonly #tally: ProjectTally
  readonly #ledger: Admitted['ledger']
  readonly #reserved: number | null
  readonly #day: number

  constructor(settlements: Settlements, requestId: string, { config, tally, ledger, reserved }: Admitted) {
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
    this.#noteSpent(tokens)
  }

  /** If the store becomes unavailable or is emptied, the tally counts what this call cost, not what it reserved. */
  #noteSpent(tokens: number): void {
    if (this.#reserved !== null) this.#tally.charge(this.#day, tokens - this.#reserved)
  }
}
