// Tiers: which settings a tier may override, the check of its overrides, and what a tier makes of a project's settings.

import { type Checked, refuse } from '../checked.ts'
import { isJsonObject } from '../json-object.ts'
import { isModelId } from '../model-id.ts'
import type { IsKnownModel } from './field-types.ts'
import { type FieldTable, type OverrideField, type Settings, settingsFields, settingsTable } from './settings.ts'
import { checkFields } from './settings-rules.ts'

const rows: FieldTable = settingsTable
export const overrideFields = settingsFields.filter(
  (field): field is OverrideField => rows[field]?.isProjectOnly !== true,
)

export type TierOverrides = Partial<Pick<Settings, OverrideField>>

/** Unknown keys first, in the order sent; then the values, with the settings' own messages. */
export function checkOverrides(value: unknown, isKnownModel: IsKnownModel): Checked<TierOverrides> {
  if (!isJsonObject(value)) return refuse('overrides must be an object')
  const unknown = Object.keys(value).find(key => !overrideFields.some(field => field === key))
  if (unknown !== undefined) return refuse(`overrides has an unknown field: ${unknown.slice(0, 100).toWellFormed()}`)
  return checkFields(value, overrideFields, isKnownModel)
}

/** An override replaces the project's value whole, maps and lists included; null is a value, absence is not. */
export function resolveTier(settings: Settings, overrides: TierOverrides): Settings {
  return { ...settings, ...overrides }
}

/** What a stored document keeps of a tier. */
export interface NamedOverrides {
  name: string
  overrides: TierOverrides
}

/** A tier out of a stored document, or null where it is damaged. */
export function parseNamedOverrides(value: unknown): NamedOverrides | null {
  if (!isJsonObject(value) || typeof value['name'] !== 'string') return null
  const overrides = checkOverrides(value['overrides'], isModelId)
  return overrides.ok ? { name: value['name'], overrides: overrides.value } : null
}
