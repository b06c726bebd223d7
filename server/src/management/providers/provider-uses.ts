// Which projects of a tenant use a provider: by the models of their settings, of a tier or of a prompt, those of
// routes included.

import type { Transaction } from 'kysely'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import { providerOfModel } from '../../domain/model-id.ts'
import { parseLiveConfig } from '../../domain/settings/live-config.ts'
import { modelsOfRoutes } from '../../domain/settings/routes.ts'
import type { Schema } from '../../storage/schema.ts'

type Database = Pick<Transaction<Schema>, 'selectFrom'>

/** How many projects have deployed a model of each provider. */
export async function countProjectsUsing(sql: Database, tenantId: string): Promise<(provider: string) => number> {
  const deployed = await sql
    .selectFrom('settings')
    .innerJoin('projects', 'projects.id', 'settings.project_id')
    .select(row => ['settings.provider_model', row.fn.countAll<number>().as('count')])
    .where('projects.tenant_id', '=', tenantId)
    .where('projects.deleted_at', 'is', null)
    .groupBy('settings.provider_model')
    .execute()
  return provider =>
    deployed
      .filter(({ provider_model }) => provider_model !== null && providerOfModel(provider_model) === provider)
      .reduce((sum, { count }) => sum + count, 0)
}

/** Whether a project's draft or what it has deployed names a model of the provider, tiers and prompts included. */
export async function isProviderUsed(sql: Database, tenantId: string, provider: string): Promise<boolean> {
  const named = [
    ...(await modelsOfSettings(sql, tenantId)),
    ...(await modelsOfTiers(sql, tenantId)),
    ...(await modelsOfPrompts(sql, tenantId)),
    ...(await modelsOfLiveConfigs(sql, tenantId)),
  ]
  return named.some(model => typeof model === 'string' && providerOfModel(model) === provider)
}

async function modelsOfSettings(sql: Database, tenantId: string): Promise<unknown[]> {
  const rows = await sql
    .selectFrom('settings')
    .innerJoin('projects', 'projects.id', 'settings.project_id')
    .select(['settings.provider_model', 'settings.draft_provider_model', 'settings.added_settings'])
    .where('projects.tenant_id', '=', tenantId)
    .where('projects.deleted_at', 'is', null)
    .execute()
  return rows.flatMap(row => [row.provider_model, row.draft_provider_model, ...modelsNamedIn(row.added_settings)])
}

async function modelsOfTiers(sql: Database, tenantId: string): Promise<unknown[]> {
  const rows = await sql
    .selectFrom('tiers')
    .innerJoin('projects', 'projects.id', 'tiers.project_id')
    .select('tiers.overrides')
    .where('projects.tenant_id', '=', tenantId)
    .where('projects.deleted_at', 'is', null)
    .execute()
  return rows.flatMap(row => modelsNamedIn(row.overrides))
}

async function modelsOfPrompts(sql: Database, tenantId: string): Promise<unknown[]> {
  const rows = await sql
    .selectFrom('prompts')
    .innerJoin('projects', 'projects.id', 'prompts.project_id')
    .select('prompts.template')
    .where('projects.tenant_id', '=', tenantId)
    .where('projects.deleted_at', 'is', null)
    .execute()
  return rows.map(({ template }) => {
    const values = parseJson(template)
    return isJsonObject(values) ? values['model'] : null
  })
}

/** Values in JSON, as the draft and its tiers store them. */
function modelsNamedIn(text: string): unknown[] {
  const values = parseJson(text)
  return isJsonObject(values) ? [values['provider_model'], ...modelsOfRoutes(values['routes'])] : []
}

/** What is deployed may have been changed or deleted in the draft. */
async function modelsOfLiveConfigs(sql: Database, tenantId: string): Promise<unknown[]> {
  const rows = await sql
    .selectFrom('live_configs')
    .innerJoin('projects', 'projects.id', 'live_configs.project_id')
    .select('live_configs.body')
    .where('projects.tenant_id', '=', tenantId)
    .where('projects.deleted_at', 'is', null)
    .execute()
  return rows.flatMap(row => {
    const live = parseLiveConfig(row.body)
    if (live === null) return []
    const values = [live.settings, ...live.tiers.map(({ overrides }) => overrides)]
    const ofPrompts = live.prompts.map(({ model }) => model)
    return [
      ...ofPrompts,
      ...values.flatMap(({ provider_model, routes }) => [provider_model, ...modelsOfRoutes(routes)]),
    ]
  })
}
