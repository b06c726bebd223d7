// The draft row of the settings table and the settings it stands for: JSON and flags of the portable schema on one
// side, the domain's types on the other.

import type { Insertable, Selectable, Transaction } from 'kysely'
import { Refusal } from '../../domain/errors.ts'
import type { GuardrailMode, Settings } from '../../domain/settings/settings.ts'
import type { Schema } from '../../storage/schema.ts'
import { isoTime } from '../plane/iso-time.ts'

export type SettingsRow = Selectable<Schema['settings']>
type Columns = Pick<Insertable<Schema['settings']>, keyof Settings>

export function toSettingsColumns(settings: Settings): Columns {
  return {
    ...settings,
    cors_origins: JSON.stringify(settings.cors_origins),
    cors_allow_credentials: settings.cors_allow_credentials ? 1 : 0,
    pii_entities: JSON.stringify(settings.pii_entities),
    sentinel_blocklist: JSON.stringify(settings.sentinel_blocklist),
    memory_enabled: settings.memory_enabled ? 1 : 0,
    store_tool_calls: settings.store_tool_calls ? 1 : 0,
  }
}

export function fromSettingsColumns(row: SettingsRow): Settings {
  return {
    system_prompt: row.system_prompt,
    memory_window: row.memory_window,
    cors_origins: JSON.parse(row.cors_origins),
    cors_allow_credentials: row.cors_allow_credentials === 1,
    rpm_limit: row.rpm_limit,
    tokens_per_day: row.tokens_per_day,
    pii_mode: row.pii_mode as GuardrailMode,
    pii_entities: JSON.parse(row.pii_entities),
    sentinel_mode: row.sentinel_mode as GuardrailMode,
    sentinel_blocklist: JSON.parse(row.sentinel_blocklist),
    memory_enabled: row.memory_enabled === 1,
    retention_days: row.retention_days,
    store_tool_calls: row.store_tool_calls === 1,
    provider_model: row.provider_model,
  }
}

/** The settings record as the wire shows it. */
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

export async function getSettingsRow(sql: Database, projectId: string): Promise<SettingsRow> {
  const row = await sql.selectFrom('settings').selectAll().where('project_id', '=', projectId).executeTakeFirst()
  if (row === undefined) throw new Refusal('settings_not_found')
  return row
}

/** Serialises what changes a project's settings, tiers and live config; SQLite has no FOR UPDATE. */
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
