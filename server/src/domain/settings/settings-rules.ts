// Checks settings by the table: those of an update, of a tier's overrides and of a stored document. Knows no storage; the
// caller says which models are known.

import { accept, type Checked, refuse } from '../checked.ts'
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts'
import { isModelId } from '../model-id.ts'
import { wildcardOrigin } from './cors-origin.ts'
import type { IsKnownModel } from './field-types.ts'
import { type FieldTable, type Settings, type SettingsField, settingsFields, settingsTable } from './settings.ts'

export function checkSettingsField<F extends SettingsField>(
  field: F,
  value: unknown,
  isKnownModel: IsKnownModel,
): Checked<Settings[F]> {
  return settingsTable[field].type.check(value, field, isKnownModel) as Checked<Settings[F]>
}

/** The given fields of `body`, checked in the order of the table; the first error is returned. Ignores other keys. */
export function checkFields<F extends SettingsField>(
  body: unknown,
  fields: readonly F[],
  isKnownModel: IsKnownModel,
  afterField: (field: F, checked: Partial<Settings>) => string | null = () => null,
): Checked<Partial<Pick<Settings, F>>> {
  const checked: Partial<Settings> = {}
  if (!isJsonObject(body)) return accept(checked)
  for (const field of fields) {
    const value = ownValue(body, field)
    if (value !== undefined) {
      const outcome = checkSettingsField(field, value, isKnownModel)
      if (!outcome.ok) return outcome
      Object.assign(checked, { [field]: outcome.value })
    }
    const message = afterField(field, checked)
    if (message !== null) return refuse(message)
  }
  return accept(checked)
}

/** The body of a settings update; `stored` is the draft row that it will be merged into. */
export function checkSettingsUpdate(
  body: unknown,
  stored: Pick<Settings, 'cors_origins' | 'cors_allow_credentials'>,
  isKnownModel: IsKnownModel,
): Checked<Partial<Settings>> {
  const outcome = checkFields(body, settingsFields, isKnownModel, (field, checked) =>
    field === 'cors_allow_credentials' ? findWildcardFault({ ...stored, ...checked }) : null,
  )
  if (outcome.ok && Object.keys(outcome.value).length === 0) return refuse('no fields to update')
  return outcome
}

/** Settings out of a stored document: every field valid, or null. The model need only look like one. */
export function parseSettings(value: unknown): Settings | null {
  return parseFields(settingsTable, value) as Settings | null
}

/** Only a field that was added later may be absent from a document: the document is then older, and the default holds. */
export function parseFields(table: FieldTable, value: unknown): JsonObject | null {
  if (!isJsonObject(value)) return null
  const parsed: JsonObject = {}
  for (const [name, row] of Object.entries(table)) {
    const given = ownValue(value, name)
    if (given === undefined) {
      if (row.hasColumn) return null
      parsed[name] = structuredClone(row.default)
    } else {
      const outcome = row.type.check(given, name, isModelId)
      if (!outcome.ok) return null
      parsed[name] = outcome.value
    }
  }
  return parsed
}

/** Checked once both fields are valid by themselves, so that an update of either is held against the stored other. */
function findWildcardFault({
  cors_origins,
  cors_allow_credentials,
}: Pick<Settings, 'cors_origins' | 'cors_allow_credentials'>): string | null {
  if (!cors_origins.includes(wildcardOrigin)) return null
  if (cors_allow_credentials) return 'Cannot use wildcard CORS origin (*) with cors_allow_credentials=true'
  return cors_origins.length > 1 ? 'The wildcard CORS origin (*) cannot be combined with other origins' : null
}
