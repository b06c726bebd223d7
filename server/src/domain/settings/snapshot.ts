// The immutable record that a deploy makes: all settings with the deployed model, and the tiers. Also what sets two apart.

import { canonicalJson, isJsonObject, parseJson, parseList } from '../json-object.ts'
import { type Settings, settingsFields } from './settings.ts'
import { parseSettings } from './settings-rules.ts'
import { type NamedOverrides, parseNamedOverrides } from './tier.ts'

/** Enough to put the tier's row back as it was. */
export interface SnapshotTier extends NamedOverrides {
  id: string
  sort_order: number
  /** Null in snapshots of versions that did not note it. */
  created_at: number | null
}

export interface Snapshot {
  settings: Settings
  tiers: SnapshotTier[]
}

/** Null where the text is damaged; what it then means is the caller's to say, but never the defaults. */
export function parseSnapshot(text: string): Snapshot | null {
  const document = parseJson(text)
  if (!isJsonObject(document)) return null
  const settings = parseSettings(document['settings'])
  const tiers = parseList(document['tiers'], parseSnapshotTier)
  return settings === null || tiers === null ? null : { settings, tiers }
}

function parseSnapshotTier(value: unknown): SnapshotTier | null {
  const tier = parseNamedOverrides(value)
  if (tier === null || !isJsonObject(value)) return null
  const { id, sort_order, created_at = null } = value
  if (typeof id !== 'string' || typeof sort_order !== 'number') return null
  return created_at === null || typeof created_at === 'number' ? { id, sort_order, created_at, ...tier } : null
}

export interface SettingChange {
  /** A settings field, or `tiers.<name>` whose value is its overrides, null where there is no such tier. */
  field: string
  from: unknown
  to: unknown
}

/** What a deploy changed, in the order of the settings; the first deploy is compared with the defaults. */
export function changesBetween(previous: Snapshot, next: Snapshot): SettingChange[] {
  const fields = settingsFields.map(field => change(field, previous.settings[field], next.settings[field]))
  const names = new Set([...previous.tiers, ...next.tiers].map(tier => tier.name))
  const tiers = [...names].map(name =>
    change(`tiers.${name}`, findOverrides(previous, name), findOverrides(next, name)),
  )
  return [...fields, ...tiers].filter(one => one !== null)
}

function findOverrides(snapshot: Snapshot, name: string): unknown {
  return snapshot.tiers.find(tier => tier.name === name)?.overrides ?? null
}

function change(field: string, from: unknown, to: unknown): SettingChange | null {
  return canonicalJson(from) === canonicalJson(to) ? null : { field, from: abbreviate(from), to: abbreviate(to) }
}

/** A list of deployments must not carry each prompt twice: a long value is shown as the beginning of its text. */
function abbreviate(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= 500 ? value : `${text.slice(0, 500).toWellFormed()}…`
}
