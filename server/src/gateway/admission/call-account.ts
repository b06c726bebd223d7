// Where the cost of one admitted call is charged: to its reservation, and to what this process knows of its project's budget.
// Knows no HTTP.

import type { CallAccount } from '../../http/admitted-call.ts'
import type { ProjectTally } from '../outage/project-tally.ts'
import type { Admitted } from './admit.ts'
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

  /** Should the store go or come back empty now, the budget goes on from what this call cost, not from what it reserved. */
  #noteSpent(tokens: number): void {
    if (this.#reserved !== null) this.#tally.charge(this.#day, tokens - this.#reserved)
  }
}
