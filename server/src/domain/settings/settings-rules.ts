// Checks settings by the table: of an update, of a tier's overrides and of a stored document. The caller says
// which models are known.

import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts'
import { isModelId } from '../model-id.ts'
import { wildcardOrigin } from './cors-origin.ts'
import type { FieldTable } from './field-table.ts'
import type { IsKnownModel } from './field-types.ts'
import {
  entityActionsOfTypes,
  entityTypes,
  type Settings,
  type SettingsField,
  settingsFields,
  settingsTable,
} from './settings.ts'
import { defaultLimits, type SettingsLimits, storedLimits } from './settings-limits.ts'

export function checkSettingsField<F extends SettingsField>(
  field: F,
  value: unknown,
  isKnownModel: IsKnownModel,
  limits: SettingsLimits = defaultLimits,
): Checked<Settings[F]> {
  return settingsTable[field].type.check(value, field, isKnownModel, limits) as Checked<Settings[F]>
}

/** Checks the given fields of `body` in the order of the table and returns the first error. Ignores other keys. */
export function checkFields<F extends SettingsField>(
  body: unknown,
  fields: readonly F[],
  isKnownModel: IsKnownModel,
  limits: SettingsLimits,
  afterField: (field: F, checked: Partial<Settings>) => string | null = () => null,
): Checked<Partial<Pick<Settings, F>>> {
  const checked: Partial<Settings> = {}
  if (!isJsonObject(body)) return accept(checked)
  for (const field of fields) {
    const value = ownValue(body, field)
    if (value !== undefined) {
      const outcome = checkSettingsField(field, value, isKnownModel, limits)
      if (!outcome.ok) return outcome
      Object.assign(checked, { [field]: outcome.value })
    }
    const message = afterField(field, checked)
    if (message !== null) return refuse(message)
  }
  return accept(checked)
}

/** The fields whose checks need each other's values. */
type StoredFields = Pick<Settings, 'cors_origins' | 'cors_allow_credentials' | 'pii_entities' | 'custom_entities'>

/** Checks the body of a settings update; `stored` is the draft into which it will be merged. */
export function checkSettingsUpdate(
  body: unknown,
  stored: StoredFields,
  isKnownModel: IsKnownModel,
  limits: SettingsLimits = defaultLimits,
): Checked<Partial<Settings>> {
  const outcome = checkFields(body, settingsFields, isKnownModel, limits, (field, checked) => {
    if (field === 'cors_allow_credentials') return findWildcardProblem({ ...stored, ...checked })
    return field === 'custom_entities' ? findEntityProblem({ ...stored, ...checked }) : null
  })
  if (outcome.ok && Object.keys(outcome.value).length === 0) return refuse('no fields to update')
  return outcome
}

/**
 * Parses stored settings; null if any field is invalid. A model needs only a valid syntax: it may have left the
 * registry.
 */
export function parseSettings(value: unknown): Settings | null {
  return parseFields(settingsTable, value) as Settings | null
}

/**
 * Only fields that were added later may be missing: the document is then older than the field, and the default
 * applies.
 */
export function parseFields(table: FieldTable, value: unknown): JsonObject | null {
  if (!isJsonObject(value)) return null
  const parsed: JsonObject = {}
  for (const [name, row] of Object.entries(table)) {
    const given = ownValue(value, name)
    if (given === undefined) {
      if (row.hasColumn) return null
      parsed[name] = structuredClone(row.default)
    } else {
      const outcome = row.type.check(given, name, isModelId, storedLimits)
      if (!outcome.ok) return null
      parsed[name] = outcome.value
    }
  }
  return parsed
}

/** Every key of `pii_entities` must be a built-in type or one that is defined beside it. */
export function findEntityProblem({
  pii_entities,
  custom_entities,
}: Pick<Settings, 'pii_entities' | 'custom_entities'>): string | null {
  const known = new Set<string>([...entityTypes, ...custom_entities.map(({ name }) => name)])
  const isKnown = Object.keys(pii_entities).every(name => known.has(name))
  return isKnown ? null : `pii_entities must map ${entityActionsOfTypes}`
}

/** Called once both fields are valid, so that an update of one is checked against the stored value of the other. */
function findWildcardProblem({
  cors_origins,
  cors_allow_credentials,
}: Pick<Settings, 'cors_origins' | 'cors_allow_credentials'>): string | null {
  if (!cors_origins.includes(wildcardOrigin)) return null
  if (cors_allow_credentials) return 'Cannot use wildcard CORS origin (*) with cors_allow_credentials=true'
  return cors_origins.length > 1 ? 'The wildcard CORS origin (*) cannot be combined with other origins' : null
}
