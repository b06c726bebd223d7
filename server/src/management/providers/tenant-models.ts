// Lists the models that a tenant may use: the platform's default, all known models of the providers for which it has a
// key, and those of its own providers.

import type { Selectable } from 'kysely'
import { z } from 'zod'
import { modelSurfaces, readModelSurfaces } from '../../domain/conversation/model-surfaces.ts'
import type { JsonObject } from '../../domain/json-object.ts'
import { type ListedPrices, listedPricesAt } from '../../domain/prices/listed-prices.ts'
import { isTenantProvider, providerDisplayName } from '../../domain/provider.ts'
import { parseTenantModels } from '../../providers/models/tenant-model-list.ts'
import type { Schema } from '../../storage/schema.ts'
import { listTenantPrices } from '../../storage/tenant-prices.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'
import { modelRow } from './upsert-models.ts'

const flag = z.boolean().nullable()
const price = z.number().nullable()
const modelSchema = z.object({
  modelId: z.string(),
  displayName: z.string(),
  providerSlug: z.string(),
  providerDisplayName: z.string(),
  capabilities: z.record(z.string(), z.unknown()).meta({
    description: `What the registry knows of the model; \`surfaces\` lists the endpoints that it can answer: ${modelSurfaces.join(', ')}`,
  }),
  contextWindow: z.int().nullable(),
  maxOutputTokens: z.int().nullable(),
  supportsStreaming: flag,
  supportsToolUse: flag,
  supportsVision: flag,
  prices: z.object({ input: price, cachedInput: price, cacheWrite: price, output: price, reasoning: price }).meta({
    description: 'The prices in force, in USD per million tokens, by which usage is priced; null where unknown',
  }),
})
type TenantModel = z.output<typeof modelSchema>

export function tenantModelRoutes({ sql, settings, now }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/tenants/:tenantId/providers/models',
      operation: 'listTenantModels',
      summary: 'List the models that the tenant may use',
      credential: 'session',
      owner: 'tenant',
      permission: 'project:read',
      answers: { 200: z.object({ models: z.array(modelSchema) }) },
      async handle({ owned }) {
        const platformModel = settings.platformDefaultModel
        const keys = await sql
          .selectFrom('provider_keys')
          .select(['provider_type', 'display_name', 'models', 'key_set_at'])
          .where('tenant_id', '=', owned.tenant.id)
          .execute()
        const configured = keys.map(key => key.provider_type).filter(slug => !isTenantProvider(slug))
        const rows = await sql
          .selectFrom('models')
          .selectAll()
          .where(row =>
            row.or([
              row('id', '=', platformModel ?? ''),
              ...(configured.length === 0 ? [] : [row('provider_slug', 'in', configured)]),
            ]),
          )
          .orderBy('id')
          .execute()
        const pricesOf = await createPriceFinder(sql, owned.tenant.id, now())
        const own = keys.flatMap(({ provider_type: slug, display_name, models, key_set_at }) =>
          parseTenantModels(models ?? '[]').map(model =>
            show(modelRow(slug, model, key_set_at), display_name, pricesOf),
          ),
        )
        const models = [...rows.map(row => show(row, null, pricesOf)), ...own.sort(byId)]
        return { status: 200, body: { models } }
      },
    }),
  ]
}

function byId(one: TenantModel, other: TenantModel): number {
  return one.modelId < other.modelId ? -1 : 1
}

type Row = Selectable<Schema['models']>
type PriceFinder = (row: Row) => ListedPrices

/** Finds the prices in force: the tenant's own, else those of the row. */
async function createPriceFinder(
  sql: ManagementDependencies['sql'],
  tenantId: string,
  now: number,
): Promise<PriceFinder> {
  const ownPrices = new Map<string, ListedPrices>()
  // Ordered by time: the last one that has begun remains.
  for (const { model, effective_at, prices } of await listTenantPrices(sql, tenantId)) {
    if (effective_at <= now) ownPrices.set(model, listedPricesAt(JSON.parse(prices), now))
  }
  return ({ id, prices }) => ownPrices.get(id) ?? listedPricesAt(JSON.parse(prices), now)
}

function show(row: Row, providerName: string | null, pricesOf: PriceFinder): TenantModel {
  const { input, output, cacheRead, cacheWrite, reasoning } = pricesOf(row)
  const capabilities: JsonObject = JSON.parse(row.capabilities)
  return {
    modelId: row.id,
    displayName: row.display_name,
    providerSlug: row.provider_slug,
    providerDisplayName: providerName ?? providerDisplayName(row.provider_slug),
    capabilities: { ...capabilities, surfaces: [...readModelSurfaces(capabilities)] },
    contextWindow: row.context_window,
    maxOutputTokens: row.max_output_tokens,
    supportsStreaming: toBoolean(row.supports_streaming),
    supportsToolUse: toBoolean(row.supports_tool_use),
    supportsVision: toBoolean(row.supports_vision),
    prices: { input, cachedInput: cacheRead, cacheWrite, output, reasoning },
  }
}

function toBoolean(value: 0 | 1 | null): boolean | null {
  return value === null ? null : value === 1
}
