// Lists the models that a tenant may use: the platform's default, and all known models of the providers for which
// it has a key.

import type { Selectable } from 'kysely'
import { z } from 'zod'
import { isProvider, providers } from '../../domain/provider.ts'
import type { ModelPrices } from '../../storage/model-seed.ts'
import type { Schema } from '../../storage/schema.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'

const flag = z.boolean().nullable()
const price = z.number().nullable()
const modelSchema = z.object({
  modelId: z.string(),
  displayName: z.string(),
  providerSlug: z.string(),
  providerDisplayName: z.string(),
  capabilities: z.record(z.string(), z.unknown()),
  contextWindow: z.int().nullable(),
  maxOutputTokens: z.int().nullable(),
  supportsStreaming: flag,
  supportsToolUse: flag,
  supportsVision: flag,
  prices: z
    .object({ input: price, cachedInput: price, cacheWrite: price, output: price })
    .meta({ description: 'List prices in USD per million tokens, by which usage is priced; null where unknown' }),
})
type TenantModel = z.output<typeof modelSchema>

export function tenantModelRoutes({ sql, settings }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/tenants/:tenantId/providers/models',
      operation: 'listTenantModels',
      summary: 'List the models that the tenant may use',
      credential: 'session',
      owner: 'tenant',
      answers: { 200: z.object({ models: z.array(modelSchema) }) },
      async handle({ owned }) {
        const platformModel = settings.platformDefaultModel
        const keys = await sql
          .selectFrom('provider_keys')
          .select('provider_type')
          .where('tenant_id', '=', owned.tenant.id)
          .execute()
        const configured = keys.map(key => key.provider_type)
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
        return { status: 200, body: { models: rows.map(show) } }
      },
    }),
  ]
}

function show(row: Selectable<Schema['models']>): TenantModel {
  const { input, output, cacheRead, cacheWrite }: ModelPrices = JSON.parse(row.prices)
  return {
    modelId: row.id,
    displayName: row.display_name,
    providerSlug: row.provider_slug,
    providerDisplayName: nameOf(row.provider_slug),
    capabilities: JSON.parse(row.capabilities),
    contextWindow: row.context_window,
    maxOutputTokens: row.max_output_tokens,
    supportsStreaming: toBoolean(row.supports_streaming),
    supportsToolUse: toBoolean(row.supports_tool_use),
    supportsVision: toBoolean(row.supports_vision),
    prices: { input, cachedInput: cacheRead, cacheWrite, output },
  }
}

/** Only known providers can have keys; a model of any other provider can only be the platform's default. */
function nameOf(slug: string): string {
  return isProvider(slug) ? providers[slug].display_name : slug
}

function toBoolean(value: 0 | 1 | null): boolean | null {
  return value === null ? null : value === 1
}
