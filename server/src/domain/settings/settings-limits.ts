// The maxima of settings that the operator may set for the whole installation.

export interface SettingsLimits {
  /** For `rpm_limit` and `user_rpm_limit`. */
  maxRpmLimit: number
  /** For each project. */
  maxTiers: number
}

export const defaultLimits: SettingsLimits = { maxRpmLimit: 10_000, maxTiers: 3 }

/** For what is stored already: the operator may have lowered a maximum since. */
export const storedLimits: SettingsLimits = {
  maxRpmLimit: Number.MAX_SAFE_INTEGER,
  maxTiers: Number.MAX_SAFE_INTEGER,
}
