// Lists what a deploy of the draft, or a rollback, would change in the live settings, tiers and prompts, and warns of
// what does not work in the draft and in what is live. Changes nothing.

import type { Kysely } from 'kysely'
import { z } from 'zod'
import { providerOfModel } from '../../domain/model-id.ts'
import { type PriceSchedule, pricesAt, readPriceSchedule } from '../../domain/prices/listed-prices.ts'
import type { NamedTemplate } from '../../domain/prompts/template.ts'
import { isTenantProvider } from '../../domain/provider.ts'
import { modelsOfRoutes } from '../../domain/settings/routes.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import { changesBetween } from '../../domain/settings/snapshot.ts'
import { type NamedOverrides, resolveTier } from '../../domain/settings/tier.ts'
import { parseTenantModels } from '../../providers/models/tenant-model-list.ts'
import { getTenantBudgets, hasEndUserBudgets } from '../../storage/budgets/budget-rows.ts'
import type { Schema } from '../../storage/schema.ts'
import { projectTenantPrices } from '../../storage/tenant-prices.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { getSnapshot, snapshotDraft } from './deployments.ts'
import { getLive } from './live-configs.ts'
import { getSettingsRow } from './settings-row.ts'

const changesSchema = z.array(
  z.object({
    field: z.string().meta({ description: 'A settings field, `tiers.<name>` or `prompts.<name>`' }),
    from: z.unknown(),
    to: z.unknown(),
  }),
)
const querySchema = z.object({
  deployment: z
    .string({ error: 'deployment must be the number of a deployment' })
    .meta({ description: 'Compare the live settings with those of this deployment, not with the draft' })
    .optional(),
})

export function settingsChangesRoutes(management: ManagementDependencies): Route[] {
  const { sql } = management
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/settings/changes',
      operation: 'listSettingsChanges',
      summary: 'List what a deploy of the draft, or a rollback, would change',
      credential: 'session',
      owner: 'project',
      permission: 'project:read',
      query: querySchema,
      answers: { 200: changesSchema },
      refusals: ['settings_not_found', 'deployment_not_found'],
      async handle({ owned, query }) {
        const { project } = owned
        const row = await getSettingsRow(sql, project.id)
        const next =
          query.deployment === undefined
            ? await snapshotDraft(sql, row)
            : await getSnapshot(sql, project.id, query.deployment)
        return { status: 200, body: changesBetween(await getLive(sql, project.id), next) }
      },
    }),
    warningsRoute(management),
  ]
}

function warningsRoute(management: ManagementDependencies): Route {
  const { sql } = management
  return route({
    method: 'GET',
    path: '/auth/v1/projects/:projectId/settings/warnings',
    operation: 'listSettingsWarnings',
    summary: 'Warn of what will not work in the draft, and of what does not work in what is deployed',
    credential: 'session',
    owner: 'project',
    permission: 'project:read',
    answers: { 200: z.object({ draft: z.array(warningSchema), deployed: z.array(warningSchema) }) },
    refusals: ['settings_not_found'],
    async handle({ owned: { tenant, project } }) {
      const draft = await snapshotDraft(sql, await getSettingsRow(sql, project.id))
      const hasUserBudgets = await hasEndUserBudgets(sql, project.id)
      const warn = (configured: Omit<Configured, 'hasUserBudgets'>) =>
        findWarnings(sql, management, tenant.id, { ...configured, hasUserBudgets })
      return {
        status: 200,
        body: { draft: await warn(draft), deployed: await warn(await getLive(sql, project.id)) },
      }
    },
  })
}

export const warningSchema = z.object({
  code: z.enum(['model_not_priced']).meta({ description: 'The error that requests get' }),
  models: z.array(z.string()),
  message: z.string(),
})
type Warning = z.output<typeof warningSchema>

/** What a deploy makes live, or has made. */
interface Configured {
  settings: Settings
  tiers: readonly NamedOverrides[]
  prompts: readonly NamedTemplate[]
  /** Whether an end user of the project has a budget. */
  hasUserBudgets: boolean
}

type Management = Pick<ManagementDependencies, 'now' | 'settings'>
type Database = Pick<Kysely<Schema>, 'selectFrom'>

export async function findWarnings(
  sql: Database,
  { now, settings }: Management,
  tenantId: string,
  configured: Configured,
): Promise<Warning[]> {
  const boundsAll = configured.hasUserBudgets || (await getTenantBudgets(sql, tenantId)).length > 0
  const named = listBoundModels(configured, boundsAll, settings.platformDefaultModel)
  if (named.length === 0) return []
  const [own, listed] = await readPrices(sql, tenantId, named)
  const isPriced = (model: string) => [own, listed].some(each => pricesAt(each.get(model) ?? [], now()) !== null)
  const models = named.filter(model => !isPriced(model))
  if (models.length === 0) return []
  const [they, have, its] = models.length === 1 ? ['it', 'has', 'its'] : ['them', 'have', 'their']
  const message =
    `${models.join(', ')} ${have} no price, and a budget is in force: every request to ${they} is refused with ` +
    `model_not_priced. Set ${its} price, or remove the budget.`
  return [{ code: 'model_not_priced', models, message }]
}

/** The models that a budget bounds: for the project itself, and for each tier, whose overrides replace its values. */
function listBoundModels(
  { settings, tiers, prompts }: Configured,
  boundsAll: boolean,
  platformModel: string | null,
): string[] {
  const resolved = [settings, ...tiers.map(({ overrides }) => resolveTier(settings, overrides))]
  const bound = resolved.filter(({ budgets }) => boundsAll || settings.budgets.length > 0 || budgets.length > 0)
  const models = bound.flatMap(({ routes, provider_model, allowed_models }) =>
    routes === null
      ? [provider_model ?? platformModel, ...(allowed_models ?? []), ...prompts.map(({ model }) => model)]
      : modelsOfRoutes(routes).filter(model => allowed_models?.some(allowed => allowed === model) !== false),
  )
  return [...new Set(models.filter(model => typeof model === 'string'))].sort()
}

type Prices = Map<string, PriceSchedule>

/** The prices that the tenant has set, and those of its own providers and of the registry. */
async function readPrices(sql: Database, tenantId: string, models: readonly string[]): Promise<[Prices, Prices]> {
  const listed: Prices = new Map()
  const registered = models.filter(model => !isTenantProvider(providerOfModel(model) ?? ''))
  if (registered.length > 0) {
    const rows = await sql.selectFrom('models').select(['id', 'prices']).where('id', 'in', registered).execute()
    for (const row of rows) listed.set(row.id, readPriceSchedule(JSON.parse(row.prices)))
  }
  const providers = await sql
    .selectFrom('provider_keys')
    .select(['provider_type', 'models'])
    .where('tenant_id', '=', tenantId)
    .execute()
  for (const { provider_type, models: list } of providers) {
    for (const { model, prices } of parseTenantModels(list ?? '[]')) {
      listed.set(`${provider_type}/${model}`, readPriceSchedule(prices))
    }
  }
  const ofTenant = (await projectTenantPrices(sql, [tenantId])).get(tenantId) ?? {}
  return [new Map(Object.entries(ofTenant).map(([model, dated]) => [model, readPriceSchedule(dated)])), listed]
}
