// Reads and locks the row of a project's settings draft, and converts between its columns (JSON and flags of the
// portable schema) and the domain's types.

import type { Selectable, Transaction } from 'kysely'
import { Refusal } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import type { FieldTable } from '../../domain/settings/field-table.ts'
import { type ColumnField, type Settings, settingsTable } from '../../domain/settings/settings.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ActPlace } from '../plane/acts/audit-facts.ts'
import { isoTime } from '../plane/iso-time.ts'

export type SettingsRow = Selectable<Schema['settings']>
type SettingsColumns = Pick<SettingsRow, ColumnField | 'added_settings'>

export function toSettingsColumns(settings: Settings): SettingsColumns {
  return toColumns(settingsTable, settings) as SettingsColumns
}

export function fromSettingsColumns(row: SettingsRow): Settings {
  return fromColumns(settingsTable, row) as Settings
}

/** Fields without a column of their own are gathered in `added_settings`. */
export function toColumns(table: FieldTable, settings: JsonObject): JsonObject {
  const columns: JsonObject = {}
  const added: JsonObject = {}
  for (const [field, { hasColumn, type }] of Object.entries(table)) {
    if (hasColumn) columns[field] = toColumn(type.schema.type, settings[field])
    else added[field] = settings[field]
  }
  return { ...columns, added_settings: JSON.stringify(added) }
}

/** A row that is older than a field has the field's default. */
export function fromColumns(table: FieldTable, row: Pick<SettingsRow, 'added_settings'>): JsonObject {
  const columns: JsonObject = { ...row }
  const added: JsonObject = JSON.parse(row.added_settings)
  return Object.fromEntries(
    Object.entries(table).map(([field, { hasColumn, type, ...options }]) => {
      if (hasColumn) return [field, fromColumn(type.schema.type, columns[field])]
      return [field, Object.hasOwn(added, field) ? added[field] : structuredClone(options.default)]
    }),
  )
}

type JsonType = FieldTable[string]['type']['schema']['type']

function toColumn(type: JsonType, value: unknown): unknown {
  if (type === 'boolean') return value === true ? 1 : 0
  return type === 'array' || type === 'object' ? JSON.stringify(value) : value
}

function fromColumn(type: JsonType, value: unknown): unknown {
  if (type === 'boolean') return value === 1
  return type === 'array' || type === 'object' ? JSON.parse(String(value)) : value
}

/** The settings record of a response. */
export function showSettings(row: SettingsRow) {
  return {
    id: row.id,
    project_id: row.project_id,
    ...fromSettingsColumns(row),
    draft_provider_model: row.draft_provider_model,
    draft_saved_at: isoTime(row.draft_saved_at),
    deployed_at: isoTime(row.deployed_at),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

type Database = Pick<Transaction<Schema>, 'selectFrom'>

export function draftOf(row: SettingsRow): JsonObject {
  return { ...fromSettingsColumns(row), draft_provider_model: row.draft_provider_model }
}

/** The draft of the act's project, for the audit. */
export async function readDraft(sql: Database, { project }: ActPlace): Promise<JsonObject> {
  return draftOf(await getSettingsRow(sql, project))
}

/** Describes the field in the OpenAPI document. */
export const draftSavedAt =
  'When the draft model was chosen; null without one. Drafts of other settings have no time: see `updated_at`'

export async function getSettingsRow(sql: Database, projectId: string): Promise<SettingsRow> {
  const row = await sql.selectFrom('settings').selectAll().where('project_id', '=', projectId).executeTakeFirst()
  if (row === undefined) throw new Refusal('settings_not_found')
  return row
}

/** Serialises changes of a project's settings, tiers and live config; SQLite has no FOR UPDATE. */
export async function lockSettings(trx: Transaction<Schema>, projectId: string): Promise<SettingsRow> {
  const row = await trx
    .updateTable('settings')
    .set(row => ({ updated_at: row.ref('updated_at') }))
    .where('project_id', '=', projectId)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw new Refusal('settings_not_found')
  return row
}
