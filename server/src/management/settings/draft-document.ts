// The whole draft of a project as one document: settings, tiers and prompts. Checks a document, and merges it into the
// draft all at once: if anything in it is invalid, nothing of it is applied.

import type { Transaction } from 'kysely'
import { type Checked, getChecked } from '../../domain/checked.ts'
import { Refusal } from '../../domain/errors.ts'
import { canonicalJson, isJsonObject, type JsonObject } from '../../domain/json-object.ts'
import { checkPromptName, checkTemplate } from '../../domain/prompts/check-template.ts'
import { type NamedTemplate, promptLimits } from '../../domain/prompts/template.ts'
import { type Settings, settingsFields } from '../../domain/settings/settings.ts'
import { checkSettingsUpdate, findEntityProblem } from '../../domain/settings/settings-rules.ts'
import type { Snapshot, SnapshotTier } from '../../domain/settings/snapshot.ts'
import { checkOverrides, resolveTier, type TierOverrides } from '../../domain/settings/tier.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { checkProviderConfigured } from './check-provider-configured.ts'
import { checkRecogniser } from './check-recogniser.ts'
import { modelsNamedBySettings, modelsNamedIn } from './known-models.ts'
import type { GivenFacts } from './project-facts.ts'
import { replacePrompts } from './prompts.ts'
import { draftColumns } from './settings.ts'
import { fromSettingsColumns, type SettingsRow, toSettingsColumns } from './settings-row.ts'
import { replaceTiers } from './tier-rows.ts'

interface GivenTier {
  name: string
  sort_order?: number | undefined
  overrides: unknown
}

/** As it was sent; what is missing stays as it is. */
export interface DraftDocument extends GivenFacts {
  settings?: JsonObject | undefined
  tiers?: readonly GivenTier[] | undefined
  prompts?: readonly JsonObject[] | undefined
  /** Whether tiers and prompts that the document lacks are removed. */
  prune: boolean
}

type IsKnownModel = Awaited<ReturnType<typeof modelsNamedIn>>

/** Without what only the draft decides: the settings are checked beside those that are stored. */
export interface CheckedDocument {
  given: DraftDocument
  isKnownModel: IsKnownModel
  tiers: readonly (Omit<GivenTier, 'overrides'> & { overrides: TierOverrides })[]
  prompts: readonly NamedTemplate[]
}

/** Without the ids and times of tiers. */
export function taggedDraft({ settings, tiers, prompts }: Snapshot) {
  const shown = tiers.map(({ name, sort_order, overrides }) => ({ name, sort_order, overrides }))
  return { settings, tiers: shown, prompts }
}

/** Does what needs other queries than those of a transaction. The first error is reported, by its place. */
export async function checkDocument(
  management: ManagementDependencies,
  tenantId: string,
  given: DraftDocument,
): Promise<CheckedDocument> {
  const { settings = {}, tiers = [], prompts = [] } = given
  const unknown = Object.keys(settings).find(name => !settingsFields.some(field => field === name))
  if (unknown !== undefined) refuse(`settings.${unknown.slice(0, 100).toWellFormed()} is not a setting`)
  refuseRepeated('tiers', tiers)
  refuseRepeated('prompts', prompts)
  const isKnownModel = await modelsNamedBySettings(management.sql, tenantId, settings)
  await within('settings', () => checkRecogniser(management.outbound, settings))
  const checkedTiers: CheckedDocument['tiers'][number][] = []
  for (const [index, { overrides, ...tier }] of tiers.entries()) {
    const checked = await within(`tiers[${index}].overrides`, () => checkTier(management, tenantId, overrides))
    checkedTiers.push({ ...tier, overrides: checked })
  }
  const checkedPrompts: NamedTemplate[] = []
  for (const [index, prompt] of prompts.entries()) {
    checkedPrompts.push(await within(`prompts[${index}]`, () => checkPrompt(management, tenantId, prompt)))
  }
  return { given, isKnownModel, tiers: checkedTiers, prompts: checkedPrompts }
}

async function checkTier(
  { sql, outbound, settings }: ManagementDependencies,
  tenantId: string,
  overrides: unknown,
): Promise<TierOverrides> {
  const isKnownModel = await modelsNamedBySettings(sql, tenantId, isJsonObject(overrides) ? overrides : {})
  const checked = getChecked(checkOverrides(overrides, isKnownModel, settings.limits))
  if (typeof checked.provider_model === 'string') await checkProviderConfigured(sql, tenantId, checked.provider_model)
  await checkRecogniser(outbound, checked)
  return checked
}

async function checkPrompt({ sql }: ManagementDependencies, tenantId: string, prompt: JsonObject) {
  const { name, ...template } = prompt
  const known = getChecked(checkPromptName(name))
  const isKnownModel = await modelsNamedIn(sql, tenantId, [template['model']])
  const checked = getChecked(checkTemplate(template, isKnownModel))
  if (checked.model !== null) await checkProviderConfigured(sql, tenantId, checked.model)
  return { name: known, ...checked }
}

/** Returns what the draft becomes. */
export function mergeDocument(
  { settings: { limits }, randomId, now }: ManagementDependencies,
  draft: Snapshot,
  { given, isKnownModel, tiers, prompts }: CheckedDocument,
): Snapshot {
  const settings = { ...draft.settings, ...checkSettings(given, draft.settings, isKnownModel, limits) }
  const merged = mergeNamed(given.tiers === undefined ? null : tiers, draft.tiers, given.prune, (tier, old) => ({
    id: old?.id ?? randomId(),
    created_at: old?.created_at ?? now(),
    name: tier.name,
    sort_order: tier.sort_order ?? old?.sort_order ?? 0,
    overrides: tier.overrides,
  }))
  if (merged.length > limits.maxTiers) refuse(`tiers must be at most ${limits.maxTiers}`)
  const faulty = merged.find(({ overrides }) => findEntityProblem(resolveTier(settings, overrides)) !== null)
  if (faulty !== undefined) {
    refuse(`settings.custom_entities must define the types that pii_entities of the tier '${faulty.name}' names`)
  }
  const named = mergeNamed(given.prompts === undefined ? null : prompts, draft.prompts, given.prune, prompt => prompt)
  checkPromptLimits(named)
  return { settings, tiers: sortTiers(merged), prompts: named.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
}

function checkSettings(
  { settings = {} }: DraftDocument,
  stored: Settings,
  isKnownModel: IsKnownModel,
  limits: ManagementDependencies['settings']['limits'],
): Partial<Settings> {
  if (Object.keys(settings).length === 0) return {}
  return getCheckedAt('settings', checkSettingsUpdate(settings, stored, isKnownModel, limits))
}

/** Null leaves all as they are. */
function mergeNamed<Given extends { name: string }, Kept extends { name: string }>(
  given: readonly Given[] | null,
  kept: readonly Kept[],
  prune: boolean,
  make: (one: Given, old: Kept | undefined) => Kept,
): Kept[] {
  if (given === null) return kept.slice()
  const old = new Map(kept.map(one => [one.name, one]))
  const names = new Set(given.map(({ name }) => name))
  const others = prune ? [] : kept.filter(({ name }) => !names.has(name))
  return [...others, ...given.map(one => make(one, old.get(one.name)))]
}

/** As the list of tiers shows them. */
function sortTiers(tiers: readonly SnapshotTier[]): SnapshotTier[] {
  return tiers.toSorted(
    (a, b) => a.sort_order - b.sort_order || (a.created_at ?? 0) - (b.created_at ?? 0) || (a.id < b.id ? -1 : 1),
  )
}

function checkPromptLimits(prompts: readonly NamedTemplate[]): void {
  if (prompts.length > promptLimits.prompts) throw new Refusal('prompt_limit')
  const sizes = prompts.map(({ name, ...template }) => name.length + JSON.stringify(template).length)
  if (sizes.reduce((sum, one) => sum + one, 0) > promptLimits.allCharacters) throw new Refusal('prompts_too_large')
}

/** The caller has locked the settings. Rows that do not change keep their times. */
export async function writeDraft(
  trx: Transaction<Schema>,
  { row, before, after, now }: { row: SettingsRow; before: Snapshot; after: Snapshot; now: number },
): Promise<void> {
  const isChanged = (part: keyof Snapshot) => canonicalJson(before[part]) !== canonicalJson(after[part])
  if (isChanged('settings')) {
    const { provider_model, ...values } = after.settings
    const isSameModel = provider_model === before.settings.provider_model
    const update = isSameModel ? values : { ...values, provider_model }
    await trx
      .updateTable('settings')
      .set({ ...toSettingsColumns(fromSettingsColumns(row)), ...draftColumns(update, row, now) })
      .where('project_id', '=', row.project_id)
      .execute()
  }
  if (isChanged('tiers')) await replaceTiers(trx, row.project_id, after.tiers, now)
  if (isChanged('prompts')) await replacePrompts(trx, row.project_id, after.prompts, now)
}

function refuse(message: string): never {
  throw new Refusal('validation_failed', { message })
}

function refuseRepeated(list: string, named: readonly { name?: unknown }[]): void {
  const names = new Set<unknown>()
  for (const [index, { name }] of named.entries()) {
    if (names.has(name)) refuse(`${list}[${index}].name is there twice`)
    names.add(name)
  }
}

function getCheckedAt<T>(place: string, checked: Checked<T>): T {
  if (!checked.ok) refuse(atPlace(place, checked.message))
  return checked.value
}

/** Puts the place in the document before the words of an error. */
async function within<T>(place: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof Refusal) || error.row.status !== 400) throw error
    const words = error.message.replace(/^overrides has an unknown field: (.*)$/s, '$1 is not a setting')
    throw new Refusal(error.code, { ...error.details, message: atPlace(place, words) })
  }
}

/** Most messages begin with the field, which the place leads to. */
function atPlace(place: string, message: string): string {
  return /^[a-z_]+[ .[]/.test(message) ? `${place}.${message}` : `${place}: ${message}`
}
