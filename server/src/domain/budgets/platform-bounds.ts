// What the operator lets the platform's own provider keys pay for in a day of UTC: for each tenant, and for all
// together.

import type { NanoUsd } from '../money.ts'
import { budgetLevels } from './budget-alerts.ts'

/** Null means no bound. */
export interface PlatformBound<Amount extends number = number> {
  ofTenant: Amount | null
  ofAll: Amount | null
}

export interface PlatformBounds {
  tokens: PlatformBound
  usd: PlatformBound<NanoUsd>
}

export type PlatformMeasure = keyof PlatformBounds

/** In place of a tenant's id, the store has the counters of a measure under this name. */
export const platformAccounts = { tokens: 'platform-tokens', usd: 'platform-usd' } as const satisfies Record<
  PlatformMeasure,
  string
>

/** All that a call can be charged to. */
export const boundLevels = [...budgetLevels, 'platform'] as const
export type BoundLevel = (typeof boundLevels)[number]
