// The whole draft of a project as one document: settings, tiers and prompts. Checks a document, and merges it into the
// draft all at once: if anything in it is invalid, nothing of it is applied.

import type { Transaction } from 'kysely'
import { getChecked } from '../../domain/checked.ts'
import { cleanName } from '../../domain/clean-name.ts'
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
import { type CheckedFacts, checkFacts, type GivenFacts } from './check-facts.ts'
import { checkProviderConfigured } from './check-provider-configured.ts'
import { checkRecogniser } from './check-recogniser.ts'
import { getCheckedAt, refuse, refuseRepeated, refuseUnknown, within } from './document-places.ts'
import { modelsNamedBySettings, modelsNamedIn } from './known-models.ts'
import { promptProperties, replacePrompts } from './prompts.ts'
import { draftColumns } from './settings.ts'
import { fromSettingsColumns, type SettingsRow, toSettingsColumns } from './settings-row.ts'
import { replaceTiers } from './tier-rows.ts'

interface CheckedTier {
  name: string
  sort_order?: number | undefined
  overrides: TierOverrides
}

/** As it was sent; what is missing stays as it is. */
export interface DraftDocument extends GivenFacts {
  settings?: JsonObject | undefined
  tiers?: readonly JsonObject[] | undefined
  prompts?: readonly JsonObject[] | undefined
  /** Whether tiers and prompts that the document lacks are removed. */
  prune: boolean
}

type IsKnownModel = Awaited<ReturnType<typeof modelsNamedIn>>

/** Without what only the draft decides: the settings are checked beside those that are stored. */
export interface CheckedDocument {
  given: DraftDocument
  isKnownModel: IsKnownModel
  tiers: readonly CheckedTier[]
  prompts: readonly NamedTemplate[]
  facts: CheckedFacts
}

/** Without the ids and times of tiers: tiers of the same `sort_order` stand by their names, in every installation. */
export function showDraft({ settings, tiers, prompts }: Snapshot) {
  const shown = tiers.map(({ name, sort_order, overrides }) => ({ name, sort_order, overrides }))
  shown.sort((a, b) => a.sort_order - b.sort_order || (a.name < b.name ? -1 : 1))
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
  const isKnownModel = await modelsNamedBySettings(management.sql, tenantId, settings)
  await within('settings', () => checkRecogniser(management.outbound, settings))
  const checkedTiers: CheckedTier[] = []
  for (const [index, tier] of tiers.entries()) checkedTiers.push(await checkTier(management, tenantId, tier, index))
  const checkedPrompts: NamedTemplate[] = []
  for (const [index, prompt] of prompts.entries()) {
    refuseUnknown(`prompts[${index}]`, prompt, ['name', ...Object.keys(promptProperties)])
    checkedPrompts.push(await within(`prompts[${index}]`, () => checkPrompt(management, tenantId, prompt)))
  }
  refuseRepeated('tiers', 'name', namesOf(checkedTiers))
  refuseRepeated('prompts', 'name', namesOf(checkedPrompts))
  const facts = await checkFacts(management.outbound, given)
  return { given, isKnownModel, tiers: checkedTiers, prompts: checkedPrompts, facts }
}

const namesOf = (named: readonly { name: string }[]) => named.map(({ name }) => name)

async function checkTier(
  { sql, outbound, settings }: ManagementDependencies,
  tenantId: string,
  given: JsonObject,
  index: number,
): Promise<CheckedTier> {
  const place = `tiers[${index}]`
  refuseUnknown(place, given, ['name', 'sort_order', 'overrides'])
  const { sort_order, overrides = {} } = given
  const name = getCheckedAt(place, cleanName(given['name']))
  if (sort_order !== undefined && !Number.isFinite(sort_order)) refuse(`${place}.sort_order must be a finite number`)
  return await within(`${place}.overrides`, async () => {
    const isKnownModel = await modelsNamedBySettings(sql, tenantId, isJsonObject(overrides) ? overrides : {})
    const checked = getChecked(checkOverrides(overrides, isKnownModel, settings.limits))
    if (typeof checked.provider_model === 'string') await checkProviderConfigured(sql, tenantId, checked.provider_model)
    await checkRecogniser(outbound, checked)
    return { name, ...(typeof sort_order === 'number' && { sort_order }), overrides: checked }
  })
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
