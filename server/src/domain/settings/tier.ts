// Tiers: which settings a tier may override, the check of its overrides, and the settings that result.

import { type Checked, refuse } from '../checked.ts'
import { isJsonObject } from '../json-object.ts'
import { isModelId } from '../model-id.ts'
import type { FieldTable } from './field-table.ts'
import type { IsKnownModel } from './field-types.ts'
import { type OverrideField, type Settings, settingsFields, settingsTable } from './settings.ts'
import { defaultLimits, type SettingsLimits, storedLimits } from './settings-limits.ts'
import { checkFields } from './settings-rules.ts'

const rows: FieldTable = settingsTable
export const overrideFields = settingsFields.filter(
  (field): field is OverrideField => rows[field]?.isProjectOnly !== true,
)

export type TierOverrides = Partial<Pick<Settings, OverrideField>>

/** Reports an unknown key first, then invalid values with the messages of the settings. */
export function checkOverrides(
  value: unknown,
  isKnownModel: IsKnownModel,
  limits: SettingsLimits = defaultLimits,
): Checked<TierOverrides> {
  if (!isJsonObject(value)) return refuse('overrides must be an object')
  const unknown = Object.keys(value).find(key => !overrideFields.some(field => field === key))
  if (unknown !== undefined) return refuse(`overrides has an unknown field: ${unknown.slice(0, 100).toWellFormed()}`)
  return checkFields(value, overrideFields, isKnownModel, limits)
}

/**
 * An override replaces the project's value as a whole, including maps and lists. Null is a value; an absent
 * field overrides nothing.
 */
export function resolveTier(settings: Settings, overrides: TierOverrides): Settings {
  return { ...settings, ...overrides }
}

/** A tier in a stored document. */
export interface NamedOverrides {
  name: string
  overrides: TierOverrides
}

/** Parses a tier of a stored document; null if it is invalid. */
export function parseNamedOverrides(value: unknown): NamedOverrides | null {
  if (!isJsonObject(value) || typeof value['name'] !== 'string') return null
  const overrides = checkOverrides(value['overrides'], isModelId, storedLimits)
  return overrides.ok ? { name: value['name'], overrides: overrides.value } : null
}
