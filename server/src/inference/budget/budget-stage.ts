// The part of budgets in one answer: reserves its expected cost, reports a long answer's cost, and settles it.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import type { Charge, Stage, Turn } from '../turn.ts'
import { estimateCostSoFar } from '../usage/record-usage.ts'
import type { BudgetHold } from './budget-hold.ts'
import type { BudgetCharges } from './charge-budgets.ts'

export class BudgetStage implements Stage {
  readonly #budgets: Pick<BudgetCharges, 'reserve'>
  /** Null if no budget is in force. */
  #hold: BudgetHold | null = null

  constructor(budgets: Pick<BudgetCharges, 'reserve'>) {
    this.#budgets = budgets
  }

  async reserve(turn: Turn): Promise<void> {
    const targets = turn.callable.map(({ target }) => target)
    this.#hold = await this.#budgets.reserve(turn, targets)
  }

  take(_events: readonly AnswerEvent[], turn: Turn): void {
    // Once the provider has counted, the settlement is about to come.
    if (turn.collected.counted === null) this.#hold?.checkpoint(() => estimateCostSoFar(turn, turn.current.target))
  }

  settle(charge: Charge): void {
    this.#hold?.settle(charge.cost)
    charge.budgetDay = this.#hold?.day ?? null
  }

  release(): void {
    this.#hold?.release()
  }
}
