// Charges answers that the platform's provider keys pay for to the operator's bounds of the day: for the tenant, and
// for all tenants together. One call of the store for tokens, and one for money.

import { periodAt } from '../../domain/budgets/budget.ts'
import { type PlatformBounds, type PlatformMeasure, platformAccounts } from '../../domain/budgets/platform-bounds.ts'
import { platformScope, scopeOfAll } from '../../storage/budgets/budget-scopes.ts'
import { sumPlatformSpent } from '../../storage/budgets/platform-spent.ts'
import type { ChosenTarget } from '../target/choose-target.ts'
import type { Bound, Estimate } from './bound.ts'
import type { BudgetHold } from './budget-hold.ts'
import type { ChargeDependencies, ChargedTurn } from './charge-budgets.ts'
import { Charging } from './charging.ts'
import { estimateCost, estimateTokens } from './estimate-cost.ts'
import { createSpentReader } from './spent-reader.ts'

export type PlatformPrices = Pick<ChosenTarget, 'prices'>

/** What a call has reserved, by measure. */
export type PlatformHolds = Partial<Record<PlatformMeasure, BudgetHold>>

export interface PlatformCharges {
  /** Throws a Refusal if a bound does not have the whole estimate left, by the dearest of the prices. */
  reserve(turn: ChargedTurn, prices: readonly PlatformPrices[]): Promise<PlatformHolds>
  stop(): Promise<void>
}

/** Null without bounds. */
export function createPlatformCharges(
  dependencies: ChargeDependencies,
  bounds: PlatformBounds,
): PlatformCharges | null {
  const measures = (['tokens', 'usd'] as const)
    .filter(measure => bounds[measure].ofTenant !== null || bounds[measure].ofAll !== null)
    .map(measure => ({ measure, charging: createCharging(dependencies, measure) }))
  if (measures.length === 0) return null
  const { now } = dependencies
  return {
    async reserve(turn, prices) {
      const { verified } = turn.call
      const holds: PlatformHolds = {}
      try {
        for (const { measure, charging } of measures) {
          const inForce = findBounds(bounds[measure], verified.tenantId, now())
          const account = { ...verified, tenantId: platformAccounts[measure] }
          holds[measure] = await charging.reserve(account, inForce, estimate[measure](turn, prices))
        }
      } catch (error) {
        for (const hold of Object.values(holds)) hold.release()
        throw error
      }
      return holds
    },
    async stop() {
      await Promise.all(measures.map(({ charging }) => charging.stop()))
    },
  }
}

const estimate: Record<PlatformMeasure, (turn: ChargedTurn, prices: readonly PlatformPrices[]) => Estimate> = {
  tokens(turn) {
    const { prompt, completion } = estimateTokens(turn)
    return { amount: prompt + completion, prompt }
  },
  usd: estimateCost,
}

function createCharging(dependencies: ChargeDependencies, measure: PlatformMeasure): Charging<Bound> {
  const { sql } = dependencies
  const spent = createSpentReader({
    ...dependencies,
    sum: (_account, counter) => sumPlatformSpent(sql, measure, counter),
  })
  return new Charging({ ...dependencies, spent, noteSpent: () => undefined })
}

function findBounds({ ofTenant, ofAll }: PlatformBounds[PlatformMeasure], tenantId: string, now: number): Bound[] {
  const { name, endsAt } = periodAt('day', now)
  const bound = (scope: string, limit: number): Bound => {
    return { level: 'platform', limit, period: 'day', endsAt, counter: { period: name, scope } }
  }
  return [
    ...(ofTenant === null ? [] : [bound(platformScope(tenantId), ofTenant)]),
    ...(ofAll === null ? [] : [bound(scopeOfAll, ofAll)]),
  ]
}
