// Rejects callers whose token names a tier that the project does not have, if its settings say so (`unknown_tier`).

import type { Verified } from '../domain/caller.ts'
import { Refusal } from '../domain/errors.ts'
import { unknownTierMessage } from '../domain/settings/live-config.ts'
import type { ConfigCache } from './config-cache.ts'
import type { DiagnosticNotes } from './diagnostics.ts'
import type { ProjectConfig } from './project-config.ts'

interface TierCheckDependencies {
  configs: Pick<ConfigCache, 'getWithin'>
  diagnostics: Pick<DiagnosticNotes, 'note'>
  now: () => number
}

/** Returns the config to go on with: the tier may be in a newer one than the cached. */
export type CheckTier = (verified: Verified, config: ProjectConfig) => ProjectConfig | Promise<ProjectConfig>

export function createCheckTier({ configs, diagnostics, now }: TierCheckDependencies): CheckTier {
  async function checkByNewest(verified: Verified, { project }: ProjectConfig): Promise<ProjectConfig> {
    const newest = await configs.getWithin(project, 0)
    try {
      refuseUnknownTier(verified, newest, now)
    } catch (error) {
      diagnostics.note(project, 'unknown_tier', verified.tier ?? '')
      throw error
    }
    return newest
  }

  return (verified, config) => (isTierRejected(verified, config, now) ? checkByNewest(verified, config) : config)
}

export function refuseUnknownTier(verified: Verified, config: ProjectConfig, now: () => number): void {
  if (!isTierRejected(verified, config, now)) return
  throw new Refusal('unknown_tier', { message: unknownTierMessage(verified.tier ?? '') })
}

function isTierRejected({ tier }: Verified, config: ProjectConfig, now: () => number): boolean {
  return tier !== null && config.live.settings.unknown_tier === 'reject' && config.resolve(tier, now).tier === null
}
