// The fields of the settings as the OpenAPI document describes them, in requests and in responses. The domain's table
// decides what is accepted; nothing here checks a value.

import { z } from 'zod'
import type { FieldTable } from '../../domain/settings/field-table.ts'
import { type SettingsField, settingsFields, settingsTable } from '../../domain/settings/settings.ts'
import type { SettingsLimits } from '../../domain/settings/settings-limits.ts'

type JsonSchema = Record<string, unknown>

const rows: FieldTable = settingsTable

function describeField(field: SettingsField): JsonSchema {
  return { ...rows[field]?.type.schema, description: rows[field]?.meaning }
}

/** In requests, with the maxima of this installation. */
export function describedFields(limits: SettingsLimits, fields = settingsFields): Record<string, JsonSchema> {
  return Object.fromEntries(
    fields.map(field => {
      const limit = rows[field]?.type.limit
      return [field, { ...describeField(field), ...(limit === undefined ? {} : { maximum: limits[limit] }) }]
    }),
  )
}

/** The values of a response. They are not checked here: they were checked before they were stored. */
export const settingsValuesSchema = z.object(
  Object.fromEntries(settingsFields.map(field => [field, z.unknown().meta(describeField(field))])) as {
    [F in SettingsField]: z.ZodUnknown
  },
)
