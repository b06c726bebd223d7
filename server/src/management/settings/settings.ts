// The settings draft: reads it, updates it, and reads its memory settings. Must not change live traffic.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { getChecked } from '../../domain/checked.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { checkSettingsUpdate, findEntityProblem } from '../../domain/settings/settings-rules.ts'
import { resolveTier } from '../../domain/settings/tier.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { checkRecogniser } from './check-recogniser.ts'
import { checkIfMatch, entityTag, ifMatchHeader } from './entity-tag.ts'
import { modelsNamedBySettings } from './known-models.ts'
import { describedFields, settingsValuesSchema } from './settings-fields.ts'
import {
  draftOf,
  draftSavedAt,
  fromSettingsColumns,
  getSettingsRow,
  lockSettings,
  readDraft,
  type SettingsRow,
  showSettings,
  toSettingsColumns,
} from './settings-row.ts'
import { snapshotTiers } from './tier-rows.ts'

export const settingsSchema = settingsValuesSchema.extend({
  id: z.string(),
  project_id: z.string(),
  draft_provider_model: z.string().nullable().meta({ description: 'The draft model; null if there is none' }),
  draft_saved_at: z.string().nullable().meta({ description: draftSavedAt }),
  deployed_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})

const memorySchema = settingsSchema.pick({
  project_id: true,
  memory_enabled: true,
  memory_window: true,
  retention_days: true,
  system_prompt: true,
  store_tool_calls: true,
})

const common = { credential: 'session', owner: 'project' } as const

export function settingsRoutes(management: ManagementDependencies): Route[] {
  const { sql, outbound, settings } = management
  return [
    route({
      ...common,
      method: 'GET',
      path: '/auth/v1/projects/:projectId/settings',
      operation: 'getSettings',
      summary: 'Get the settings draft',
      permission: 'project:read',
      answers: { 200: settingsSchema },
      refusals: ['settings_not_found'],
      async handle({ owned }) {
        return answerSettings(await getSettingsRow(sql, owned.project.id))
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/auth/v1/projects/:projectId/settings',
      operation: 'updateSettings',
      inFile: true,
      audit: { action: 'settings.update', target: 'projectId', read: readDraft },
      summary: 'Update the draft; live traffic does not change before a deploy',
      permission: 'settings:write',
      headers: ifMatchHeader,
      body: z.looseObject({}).meta({ properties: describedFields(settings.limits) }),
      answers: { 200: settingsSchema },
      refusals: ['settings_not_found', 'invalid_base_url', 'draft_changed'],
      async handle({ owned, body, header }) {
        const isKnownModel = await modelsNamedBySettings(sql, owned.tenant.id, body)
        await checkRecogniser(outbound, body)
        const row = await transact(sql, async trx => {
          const stored = await lockSettings(trx, owned.project.id)
          checkIfMatch(header('if-match'), () => draftOf(stored))
          const draft = fromSettingsColumns(stored)
          const update = getChecked(checkSettingsUpdate(body, draft, isKnownModel, settings.limits))
          await checkTiersOf(trx, owned.project.id, { ...draft, ...update })
          return await trx
            .updateTable('settings')
            .set(draftColumns(update, stored, management.now()))
            .where('project_id', '=', owned.project.id)
            .returningAll()
            .executeTakeFirstOrThrow()
        })
        return answerSettings(row)
      },
    }),
    memoryRoute(management),
  ]
}

function memoryRoute({ sql }: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'GET',
    path: '/auth/v1/projects/:projectId/memory',
    operation: 'getMemory',
    summary: 'Get the memory settings of the draft',
    permission: 'project:read',
    answers: { 200: memorySchema },
    refusals: ['settings_not_found'],
    async handle({ owned }) {
      return { status: 200, body: showSettings(await getSettingsRow(sql, owned.project.id)) }
    },
  })
}

function answerSettings(row: SettingsRow) {
  return { status: 200, headers: { etag: entityTag(draftOf(row)) }, body: showSettings(row) }
}

/** The draft must define every type that a tier's `pii_entities` names. */
async function checkTiersOf(trx: Transaction<Schema>, projectId: string, draft: Settings): Promise<void> {
  for (const { name, overrides } of await snapshotTiers(trx, projectId)) {
    if (findEntityProblem(resolveTier(draft, overrides)) === null) continue
    const message = `custom_entities must define the types that pii_entities of the tier '${name}' names`
    throw new Refusal('validation_failed', { message })
  }
}

/** A model in a settings update is a draft; null and the deployed model clear it. */
export function draftColumns(
  { provider_model, ...values }: Partial<Settings>,
  stored: Awaited<ReturnType<typeof lockSettings>>,
  now: number,
) {
  const columns = toSettingsColumns({ ...fromSettingsColumns(stored), ...values })
  const draft = provider_model === undefined ? {} : modelDraftColumns(provider_model, stored.provider_model, now)
  return { ...columns, ...draft, updated_at: now }
}

export function modelDraftColumns(model: string | null, deployed: string | null, now: number) {
  const draft = model === deployed ? null : model
  return { draft_provider_model: draft, draft_saved_at: draft === null ? null : now }
}
