// What a project's live document means for a caller with a tier, or without one. Resolved once for each revision and
// tier, so that a request does not find out what is off.

import type { Budget } from './budgets/budget.ts'
import { areAnswersGuarded, areRequestsGuarded } from './guardrails/guardrails.ts'
import { findTier, type LiveConfig } from './settings/live-config.ts'
import type { Settings } from './settings/settings.ts'
import { resolveTier } from './settings/tier.ts'

export interface ResolvedConfig {
  /** The tier in force; null if there is none of the name that the token claims. */
  tier: string | null
  /** The project's settings with the tier's overrides. */
  settings: Settings
  /** The limits of the whole project, regardless of the tier. */
  projectLimits: { rpm_limit: number; tokens_per_day: number }
  /** The limits of each end user: the tier's, otherwise the settings' for users; null if neither has one. */
  userLimits: { rpm_limit: number | null; tokens_per_day: number | null }
  /** Those of the whole project, and those of the tier for each of its end users. Both are in force. */
  budgets: { project: readonly Budget[]; tier: readonly Budget[] }
  /** Whether a guardrail checks requests, and whether one scans answers. */
  guarded: { requests: boolean; answers: boolean }
}

/** Uses the project's settings if the tier is unknown, or was removed longer ago than a token can live. */
export function resolveForTier(live: LiveConfig, tierName: string | undefined, now: number): ResolvedConfig {
  const { rpm_limit, tokens_per_day } = live.settings
  const tier = tierName === undefined ? undefined : findTier(live, tierName, now)
  const overrides = tier?.overrides ?? {}
  const settings = resolveTier(live.settings, overrides)
  return {
    tier: tier?.name ?? null,
    settings,
    projectLimits: { rpm_limit, tokens_per_day },
    userLimits: {
      rpm_limit: overrides.rpm_limit ?? settings.user_rpm_limit,
      tokens_per_day: overrides.tokens_per_day ?? settings.user_tokens_per_day,
    },
    budgets: { project: live.settings.budgets, tier: overrides.budgets ?? [] },
    guarded: { requests: areRequestsGuarded(settings), answers: areAnswersGuarded(settings) },
  }
}
