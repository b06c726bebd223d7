// The part of the operator's bounds in one answer that a key of the platform may pay for.

import type { AnswerEvent } from '../../domain/conversation/answer.ts'
import { Refusal } from '../../domain/errors.ts'
import type { NanoUsd } from '../../domain/money.ts'
import type { CallableTarget, Charge, Pricing, Stage, Turn } from '../turn.ts'
import { estimateCostSoFar, estimateTokensSoFar } from '../usage/record-usage.ts'
import type { PlatformCharges, PlatformHolds } from './platform-charges.ts'

export const paysPlatform = ({ target }: CallableTarget): boolean => target.platformPricing !== null

export class PlatformStage implements Stage {
  readonly #charges: Pick<PlatformCharges, 'reserve'>
  #holds: PlatformHolds = {}
  #turn: Pick<Turn, 'current'> | null = null

  constructor(charges: Pick<PlatformCharges, 'reserve'>) {
    this.#charges = charges
  }

  /** Targets that a tenant's own key pays for are asked also at a bound. */
  async reserve(turn: Turn): Promise<void> {
    this.#turn = turn
    const pricings = turn.callable.map(({ target }) => target.platformPricing).filter(pricing => pricing !== null)
    try {
      this.#holds = await this.#charges.reserve(turn, pricings)
    } catch (error) {
      const [first, ...others] = turn.callable.filter(each => !paysPlatform(each))
      if (!(error instanceof Refusal) || first === undefined) throw error
      turn.callable = [first, ...others]
    }
  }

  take(_events: readonly AnswerEvent[], turn: Turn): void {
    const pricing = turn.current.target.platformPricing
    if (pricing === null || turn.collected.counted !== null) return
    this.#holds.tokens?.checkpoint(() => estimateTokensSoFar(turn))
    this.#holds.usd?.checkpoint(() => estimateCostSoFar(turn, pricing))
  }

  settle(charge: Charge, costAt: (pricing: Pricing) => NanoUsd): void {
    const pricing = this.#turn?.current.target.platformPricing ?? null
    const { tokens, usd } = this.#holds
    const day = (tokens ?? usd)?.day
    if (pricing === null || day === undefined) return
    const cost = costAt(pricing)
    tokens?.settle(charge.totalTokens)
    usd?.settle(cost)
    charge.platform = { day, cost }
  }

  release(): void {
    for (const hold of Object.values(this.#holds)) hold.release()
  }
}
