// Tiers of a project, each with a name and overrides of the settings. They are drafts like the settings
// and go live with the next deploy.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { getChecked } from '../../domain/checked.ts'
import { Refusal } from '../../domain/errors.ts'
import { isJsonObject } from '../../domain/json-object.ts'
import type { OverrideField } from '../../domain/settings/settings.ts'
import type { SettingsLimits } from '../../domain/settings/settings-limits.ts'
import { findEntityProblem } from '../../domain/settings/settings-rules.ts'
import { checkOverrides, overrideFields, resolveTier, type TierOverrides } from '../../domain/settings/tier.ts'
import { noteAct } from '../../storage/audit/act.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { checkName } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { checkProviderConfigured } from './check-provider-configured.ts'
import { checkRecogniser } from './check-recogniser.ts'
import { checkIfMatch, entityTag, ifMatchHeader } from './entity-tag.ts'
import { modelsNamedBySettings } from './known-models.ts'
import { describedFields, settingsValuesSchema } from './settings-fields.ts'
import { fromSettingsColumns, getSettingsRow, lockSettings, type SettingsRow } from './settings-row.ts'
import { getTier, listTiers, readOverrides, type TierRow } from './tier-rows.ts'

const overridesSchema = settingsValuesSchema
  .pick(Object.fromEntries(overrideFields.map(field => [field, true])) as Record<OverrideField, true>)
  .partial()
const tierSchema = z.object({
  id: z.string(),
  project_id: z.string(),
  name: z.string(),
  sort_order: z.number(),
  overrides: overridesSchema,
  created_at: z.string(),
  updated_at: z.string(),
})
/** JSON may contain numbers beyond the range of a double, such as 1e999, which are parsed as Infinity. */
const sortOrder = z.number({ error: 'sort_order must be a finite number' })

function bodySchemas(limits: SettingsLimits) {
  const overrides = z
    .unknown()
    .meta({ type: 'object', additionalProperties: false, properties: describedFields(limits, overrideFields) })
  return {
    created: z.object({ name: checkName, sort_order: sortOrder.default(0), overrides: overrides.default({}) }),
    edited: z.object({
      name: checkName.optional(),
      sort_order: sortOrder.optional(),
      overrides: overrides.optional(),
    }),
  }
}

const common = { credential: 'session', owner: 'project' } as const
const tiersPath = '/auth/v1/projects/:projectId/tiers'
const writeRefusals = ['settings_not_found', 'tier_name_taken', 'provider_not_configured', 'invalid_base_url'] as const

export function tierRoutes(management: ManagementDependencies): Route[] {
  return [...readRoutes(management), createRoute(management), updateRoute(management), deleteRoute(management)]
}

function readRoutes({ sql }: ManagementDependencies): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: tiersPath,
      operation: 'listTiers',
      permission: 'project:read',
      summary: 'List the tiers with their resolved settings',
      answers: { 200: z.array(tierSchema.extend({ resolved: settingsValuesSchema })) },
      refusals: ['settings_not_found'],
      async handle({ owned }) {
        const settings = fromSettingsColumns(await getSettingsRow(sql, owned.project.id))
        const tiers = await listTiers(sql, owned.project.id)
        const body = tiers.map(tier => ({ ...showTier(tier), resolved: resolveTier(settings, readOverrides(tier)) }))
        return { status: 200, headers: { etag: entityTag(taggedTiers(tiers)) }, body }
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${tiersPath}/:tierId/resolved`,
      operation: 'getResolvedTier',
      permission: 'project:read',
      summary: 'Get the resolved settings of one tier',
      answers: { 200: settingsValuesSchema },
      refusals: ['settings_not_found', 'tier_not_found'],
      async handle({ owned, params }) {
        const settings = fromSettingsColumns(await getSettingsRow(sql, owned.project.id))
        const tier = await getTier(sql, owned.project.id, params['tierId'] ?? '')
        return { status: 200, body: resolveTier(settings, readOverrides(tier)) }
      },
    }),
  ]
}

function createRoute(management: ManagementDependencies): Route {
  const { sql, now, randomId } = management
  const { limits } = management.settings
  return route({
    ...common,
    method: 'POST',
    path: tiersPath,
    operation: 'createTier',
    inFile: true,
    audit: { action: 'tier.create', read: rowOf('tiers', { id: 'target' }) },
    permission: 'settings:write',
    summary: 'Create a tier',
    headers: ifMatchHeader,
    body: bodySchemas(limits).created,
    answers: { 201: tierSchema },
    refusals: [...writeRefusals, 'tier_limit', 'draft_changed'],
    idempotency: 'replay',
    async handle({ owned, body, header }) {
      const overrides = await checkedOverrides(management, owned.tenant.id, body.overrides)
      const createdAt = now()
      const tier: TierRow = {
        id: randomId(),
        project_id: owned.project.id,
        name: body.name,
        sort_order: body.sort_order,
        overrides: JSON.stringify(overrides),
        created_at: createdAt,
        updated_at: createdAt,
      }
      await transact(sql, trx => insertTier(trx, tier, limits, header('if-match')))
      return { status: 201, body: showTier(tier) }
    },
  })
}

function updateRoute(management: ManagementDependencies): Route {
  const { sql, now } = management
  return route({
    ...common,
    method: 'PUT',
    path: `${tiersPath}/:tierId`,
    operation: 'updateTier',
    inFile: true,
    audit: { action: 'tier.update', target: 'tierId', read: rowOf('tiers', { project_id: 'project', id: 'target' }) },
    permission: 'settings:write',
    summary: 'Update a tier; `overrides` is replaced as a whole',
    headers: ifMatchHeader,
    body: bodySchemas(management.settings.limits).edited,
    answers: { 200: tierSchema },
    refusals: [...writeRefusals, 'tier_not_found', 'draft_changed'],
    async handle({ owned, params, body, header }) {
      const overrides =
        body.overrides === undefined ? undefined : await checkedOverrides(management, owned.tenant.id, body.overrides)
      const changes = {
        name: body.name,
        sort_order: body.sort_order,
        overrides,
        updated_at: now(),
        ifMatch: header('if-match'),
      }
      const tier = await transact(sql, trx => updateTier(trx, owned.project.id, params['tierId'] ?? '', changes))
      return { status: 200, body: showTier(tier) }
    },
  })
}

function deleteRoute({ sql }: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'DELETE',
    path: `${tiersPath}/:tierId`,
    operation: 'deleteTier',
    inFile: true,
    audit: { action: 'tier.delete', target: 'tierId', read: rowOf('tiers', { project_id: 'project', id: 'target' }) },
    permission: 'settings:write',
    summary: 'Delete a tier; live tokens keep it until a day after the next deploy',
    headers: ifMatchHeader,
    answers: { 204: null },
    refusals: ['settings_not_found', 'tier_not_found', 'draft_changed'],
    async handle({ owned, params, header }) {
      const deleted = await transact(sql, async trx => {
        await lockSettings(trx, owned.project.id)
        checkIfMatchOf(header('if-match'), await listTiers(trx, owned.project.id))
        return await trx
          .deleteFrom('tiers')
          .where('project_id', '=', owned.project.id)
          .where('id', '=', params['tierId'] ?? '')
          .returning('id')
          .executeTakeFirst()
      })
      if (deleted === undefined) throw new Refusal('tier_not_found')
      return { status: 204 }
    },
  })
}

async function checkedOverrides(
  { sql, outbound, settings }: ManagementDependencies,
  tenantId: string,
  value: unknown,
): Promise<TierOverrides> {
  const isKnownModel = await modelsNamedBySettings(sql, tenantId, isJsonObject(value) ? value : {})
  const overrides = getChecked(checkOverrides(value, isKnownModel, settings.limits))
  if (typeof overrides.provider_model === 'string') {
    await checkProviderConfigured(sql, tenantId, overrides.provider_model)
  }
  await checkRecogniser(outbound, overrides)
  return overrides
}

/** A tier's `pii_entities` may name types that the draft or the tier itself defines. */
function checkEntities(draft: SettingsRow, overrides: TierOverrides): void {
  const message = findEntityProblem(resolveTier(fromSettingsColumns(draft), overrides))
  if (message !== null) throw new Refusal('validation_failed', { message })
}

async function insertTier(
  trx: Transaction<Schema>,
  tier: TierRow,
  { maxTiers }: SettingsLimits,
  ifMatch: string | undefined,
): Promise<void> {
  checkEntities(await lockSettings(trx, tier.project_id), readOverrides(tier))
  const others = await listTiers(trx, tier.project_id)
  checkIfMatchOf(ifMatch, others)
  if (others.some(other => other.name === tier.name)) throw new Refusal('tier_name_taken')
  if (others.length >= maxTiers) {
    throw new Refusal('tier_limit', { message: `Maximum of ${maxTiers} tiers per project` })
  }
  noteAct({ target: { id: tier.id } })
  await trx.insertInto('tiers').values(tier).execute()
}

interface TierChanges {
  name: string | undefined
  sort_order: number | undefined
  overrides: TierOverrides | undefined
  updated_at: number
  ifMatch: string | undefined
}

async function updateTier(trx: Transaction<Schema>, projectId: string, id: string, changes: TierChanges) {
  const settings = await lockSettings(trx, projectId)
  if (changes.overrides !== undefined) checkEntities(settings, changes.overrides)
  const tier = await getTier(trx, projectId, id)
  const tiers = await listTiers(trx, projectId)
  checkIfMatchOf(changes.ifMatch, tiers)
  if (tiers.some(other => other.id !== id && other.name === changes.name)) throw new Refusal('tier_name_taken')
  return await trx
    .updateTable('tiers')
    .set({
      name: changes.name ?? tier.name,
      sort_order: changes.sort_order ?? tier.sort_order,
      overrides: changes.overrides === undefined ? tier.overrides : JSON.stringify(changes.overrides),
      updated_at: changes.updated_at,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** One tag for all tiers: what one overrides may be right only beside the others. */
function taggedTiers(tiers: readonly TierRow[]) {
  return tiers.map(({ name, sort_order, overrides }) => ({ name, sort_order, overrides }))
}

function checkIfMatchOf(ifMatch: string | undefined, tiers: readonly TierRow[]): void {
  checkIfMatch(ifMatch, () => taggedTiers(tiers))
}

function showTier(tier: TierRow) {
  return {
    ...tier,
    overrides: readOverrides(tier),
    created_at: isoTime(tier.created_at),
    updated_at: isoTime(tier.updated_at),
  }
}
