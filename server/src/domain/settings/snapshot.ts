// The immutable record of a deploy: all settings with the deployed model, the tiers and the prompts. Also compares two
// of them.

import { canonicalJson, isJsonObject, parseJson, parseList } from '../json-object.ts'
import { parseNamedTemplate } from '../prompts/check-template.ts'
import type { NamedTemplate } from '../prompts/template.ts'
import { type Settings, settingsFields } from './settings.ts'
import { parseSettings } from './settings-rules.ts'
import { type NamedOverrides, parseNamedOverrides } from './tier.ts'

/** Everything that is needed to restore the tier's row. */
export interface SnapshotTier extends NamedOverrides {
  id: string
  sort_order: number
  /** Null in snapshots of versions that did not record it. */
  created_at: number | null
}

export interface Snapshot {
  settings: Settings
  tiers: SnapshotTier[]
  /** Empty in snapshots that are older than prompts. */
  prompts: NamedTemplate[]
}

/** Returns null if the text is invalid. The caller decides what that means; it must not use the defaults. */
export function parseSnapshot(text: string): Snapshot | null {
  const document = parseJson(text)
  if (!isJsonObject(document)) return null
  const settings = parseSettings(document['settings'])
  const tiers = parseList(document['tiers'], parseSnapshotTier)
  const prompts = parsePrompts(document['prompts'])
  return settings === null || tiers === null || prompts === null ? null : { settings, tiers, prompts }
}

/** Documents that are older than prompts have none. */
export function parsePrompts(value: unknown): NamedTemplate[] | null {
  return value === undefined ? [] : parseList(value, parseNamedTemplate)
}

function parseSnapshotTier(value: unknown): SnapshotTier | null {
  const tier = parseNamedOverrides(value)
  if (tier === null || !isJsonObject(value)) return null
  const { id, sort_order, created_at = null } = value
  if (typeof id !== 'string' || typeof sort_order !== 'number') return null
  return created_at === null || typeof created_at === 'number' ? { id, sort_order, created_at, ...tier } : null
}

export interface SettingChange {
  /** A settings field, `tiers.<name>` with its overrides or `prompts.<name>` with the prompt; null if there is none. */
  field: string
  from: unknown
  to: unknown
}

/** What two snapshots have in common with the live configuration. */
interface Compared {
  settings: Settings
  tiers: readonly NamedOverrides[]
  prompts: readonly NamedTemplate[]
}

/** The changes as the list of deployments shows them: long values are cut, so that it has no prompt twice. */
export function abbreviatedChanges(previous: Compared, next: Compared): SettingChange[] {
  return changesBetween(previous, next).map(({ field, from, to }) => ({
    field,
    from: abbreviate(from),
    to: abbreviate(to),
  }))
}

/** In the order of the settings, then of the tiers, then of the prompts. */
export function changesBetween(previous: Compared, next: Compared): SettingChange[] {
  const fields = settingsFields.map(field => change(field, previous.settings[field], next.settings[field]))
  const tiers = namesOf(previous.tiers, next.tiers).map(name =>
    change(`tiers.${name}`, findOverrides(previous, name), findOverrides(next, name)),
  )
  const prompts = namesOf(previous.prompts, next.prompts).map(name =>
    change(`prompts.${name}`, findTemplate(previous, name), findTemplate(next, name)),
  )
  return [...fields, ...tiers, ...prompts].filter(one => one !== null)
}

function namesOf(previous: readonly { name: string }[], next: readonly { name: string }[]): string[] {
  return [...new Set([...previous, ...next].map(({ name }) => name))]
}

function findTemplate({ prompts }: Compared, wanted: string): unknown {
  const found = prompts.find(({ name }) => name === wanted)
  if (found === undefined) return null
  const { name: _, ...template } = found
  return template
}

function findOverrides(snapshot: Compared, name: string): unknown {
  return snapshot.tiers.find(tier => tier.name === name)?.overrides ?? null
}

function change(field: string, from: unknown, to: unknown): SettingChange | null {
  return canonicalJson(from) === canonicalJson(to) ? null : { field, from, to }
}

function abbreviate(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= 500 ? value : `${text.slice(0, 500).toWellFormed()}…`
}
