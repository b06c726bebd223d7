// The fields of the settings as the OpenAPI document describes them, in requests and in responses. The domain's table
// decides what is accepted; nothing here checks a value.

import { z } from 'zod'
import { type FieldTable, type SettingsField, settingsFields, settingsTable } from '../../domain/settings/settings.ts'

type JsonSchema = Record<string, unknown>

function describeField(field: SettingsField): JsonSchema {
  const rows: FieldTable = settingsTable
  return { ...rows[field]?.type.schema, description: rows[field]?.meaning }
}

export function describedFields(fields = settingsFields): Record<string, JsonSchema> {
  return Object.fromEntries(fields.map(field => [field, describeField(field)]))
}

/** The values of a response. They are not checked here: they were checked before they were stored. */
export const settingsValuesSchema = z.object(
  Object.fromEntries(settingsFields.map(field => [field, z.unknown().meta(describeField(field))])) as {
    [F in SettingsField]: z.ZodUnknown
  },
)
