// Selects the model that answers a project's requests: sets or removes it at once, or drafts and publishes it.
// Changes of the deployed model are live at once and are not deploys: they write no snapshot.

import type { Transaction } from 'kysely'
import { z } from 'zod'
import { Refusal, type RefusalCode } from '../../domain/errors.ts'
import { providerOfModel } from '../../domain/model-id.ts'
import { withModel } from '../../domain/settings/live-config.ts'
import type { Schema } from '../../storage/schema.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { checkProviderConfigured } from './check-provider-configured.ts'
import { modelsNamedIn } from './known-models.ts'
import { getLive, publishLive, readLive, writeLive } from './live-configs.ts'
import { modelDraftColumns } from './settings.ts'
import { draftSavedAt, lockSettings, readDraft, type SettingsRow } from './settings-row.ts'

const path = '/auth/v1/projects/:projectId/settings/model'
const bodySchema = z.looseObject({}).meta({
  properties: { provider_model: { type: 'string', description: 'A known model ID' } },
  required: ['provider_model'],
})
const configuredSchema = z.object({
  configured: z.literal(true),
  provider_model: z.string(),
  provider_type: z.string(),
})
const draftSchema = z.object({
  draft_provider_model: z.string().nullable(),
  draft_saved_at: z.string().nullable().meta({ description: draftSavedAt }),
})
const publishedSchema = z.object({ provider_model: z.string(), deployed_at: z.string() })

const common = { credential: 'session', owner: 'project' } as const

export function modelSelectionRoutes(management: ManagementDependencies): Route[] {
  return [...deployedModelRoutes(management), ...draftModelRoutes(management)]
}

function deployedModelRoutes(management: ManagementDependencies): Route[] {
  const { now } = management
  return [
    route({
      ...common,
      method: 'PUT',
      path,
      operation: 'setModel',
      inFile: true,
      audit: { action: 'model.set', target: 'projectId', read: readLive },
      permission: 'settings:deploy',
      summary: 'Set the model; live at once, without a deploy',
      body: bodySchema,
      answers: { 200: configuredSchema },
      refusals: ['missing_model', 'unknown_model', 'provider_not_configured', 'store_sync_failed'],
      async handle({ owned, body }) {
        const model = await getKnownModel(management, owned.tenant.id, body['provider_model'])
        await changeLive(management, owned.project.id, async (trx, row) => {
          await checkProviderConfigured(trx, owned.tenant.id, model)
          await setLiveModel(trx, row, model, row.draft_provider_model, now())
        })
        return { status: 200, body: { configured: true, provider_model: model, provider_type: providerOfModel(model) } }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      operation: 'clearModel',
      inFile: true,
      audit: { action: 'model.clear', target: 'projectId', read: readLive },
      permission: 'settings:deploy',
      summary: 'Reset the model to the platform default; live at once',
      answers: { 204: null },
      refusals: ['no_model', 'store_sync_failed'],
      async handle({ owned }) {
        await changeLive(management, owned.project.id, async (trx, row) => {
          if (row.provider_model === null) throw new Refusal('no_model')
          await setLiveModel(trx, row, null, row.draft_provider_model, now())
        })
        return { status: 204 }
      },
    }),
  ]
}

function draftModelRoutes(management: ManagementDependencies): Route[] {
  const { sql, now } = management
  return [
    route({
      ...common,
      method: 'PUT',
      path: `${path}/draft`,
      operation: 'draftModel',
      inFile: true,
      audit: { action: 'model.draft', target: 'projectId', read: readDraft },
      permission: 'settings:write',
      summary: 'Set the draft model; setting the deployed model discards the draft',
      body: bodySchema,
      answers: { 200: draftSchema },
      refusals: ['missing_model', 'unknown_model'],
      async handle({ owned, body }) {
        const model = await getKnownModel(management, owned.tenant.id, body['provider_model'])
        const draft = await transact(sql, async trx => {
          const row = await lockSettings(trx, owned.project.id)
          const columns = modelDraftColumns(model, row.provider_model, now())
          await updateSettings(trx, row, { ...columns, updated_at: now() })
          return columns
        })
        return { status: 200, body: { ...draft, draft_saved_at: isoTime(draft.draft_saved_at) } }
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/draft`,
      operation: 'dropModelDraft',
      inFile: true,
      audit: { action: 'model.drop_draft', target: 'projectId', read: readDraft },
      permission: 'settings:write',
      summary: 'Discard the draft model',
      answers: { 204: null },
      async handle({ owned }) {
        await transact(sql, async trx => {
          const row = await lockSettings(trx, owned.project.id)
          await updateSettings(trx, row, { draft_provider_model: null, draft_saved_at: null, updated_at: now() })
        })
        return { status: 204 }
      },
    }),
    publishRoute(management),
  ]
}

function publishRoute(management: ManagementDependencies): Route {
  return route({
    ...common,
    method: 'POST',
    path: `${path}/publish`,
    operation: 'publishModel',
    audit: { action: 'model.publish', target: 'projectId', read: readLive },
    permission: 'settings:deploy',
    summary: 'Publish the draft model; live at once',
    answers: { 200: publishedSchema },
    refusals: ['no_draft', 'provider_not_configured', 'store_sync_failed'],
    async handle({ owned }) {
      const publishedAt = management.now()
      const model = await changeLive(management, owned.project.id, async (trx, row) => {
        if (row.draft_provider_model === null) throw new Refusal('no_draft')
        await checkProviderConfigured(trx, owned.tenant.id, row.draft_provider_model)
        await setLiveModel(trx, row, row.draft_provider_model, null, publishedAt)
        return row.draft_provider_model
      })
      return { status: 200, body: { provider_model: model, deployed_at: isoTime(publishedAt) } }
    },
  })
}

/** Returns the model of a body. Throws if it is missing or unknown. */
async function getKnownModel({ sql }: ManagementDependencies, tenantId: string, value: unknown): Promise<string> {
  if (typeof value !== 'string' || value.trim() === '') throw new Refusal('missing_model')
  const isKnown = await modelsNamedIn(sql, tenantId, [value])
  if (!isKnown(value)) throw new Refusal('unknown_model')
  return value
}

const doneBefore: readonly RefusalCode[] = ['no_model', 'no_draft']

/**
 * Commits a change of the project's settings row and pushes it. A retry after a failed push finds its change already
 * made: it pushes too, before it is rejected because nothing is left to change.
 */
async function changeLive<T>(
  management: ManagementDependencies,
  projectId: string,
  change: (trx: Transaction<Schema>, row: SettingsRow) => Promise<T>,
): Promise<T> {
  const outcome = await transact(management.sql, async trx => change(trx, await lockSettings(trx, projectId))).catch(
    (error: unknown) => {
      if (error instanceof Refusal && doneBefore.includes(error.code)) return error
      throw error
    },
  )
  await publishLive(management, projectId)
  if (outcome instanceof Refusal) throw outcome
  return outcome
}

/** Clears a draft that equals the new model. */
async function setLiveModel(
  trx: Transaction<Schema>,
  row: SettingsRow,
  model: string | null,
  draft: string | null,
  now: number,
): Promise<void> {
  const drops = draft === null || draft === model
  await updateSettings(trx, row, {
    provider_model: model,
    draft_provider_model: drops ? null : draft,
    draft_saved_at: drops ? null : row.draft_saved_at,
    updated_at: now,
  })
  await writeLive(trx, withModel(await getLive(trx, row.project_id), model), now)
}

async function updateSettings(
  trx: Transaction<Schema>,
  row: SettingsRow,
  columns: Partial<SettingsRow>,
): Promise<void> {
  await trx.updateTable('settings').set(columns).where('project_id', '=', row.project_id).execute()
}
