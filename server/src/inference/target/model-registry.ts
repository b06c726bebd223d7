// Caches the whole model registry: which models exist, what they can do, what they cost.

import type { Kysely } from 'kysely'
import { type ModelFacts, readModelFacts } from '../../domain/conversation/model-facts.ts'
import { type ModelSurface, readModelSurfaces } from '../../domain/conversation/model-surfaces.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import { providerOfModel } from '../../domain/model-id.ts'
import { type PriceSchedule, readPriceSchedule } from '../../domain/prices/listed-prices.ts'
import { isTenantProvider } from '../../domain/provider.ts'
import type { ListedModel } from '../../providers/models/model-page.ts'
import { modelsRevision } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'
import type { RowWatch } from '../../storage/watched-rows.ts'

export interface RegisteredModel {
  id: string
  provider: string
  facts: ModelFacts
  prices: PriceSchedule
  surfaces: readonly ModelSurface[]
}

export interface ModelRegistry {
  /** By id, without those of tenants' providers. Null until the first read has ended: await `whenLoaded` before. */
  known(): ReadonlyMap<string, RegisteredModel> | null
  listOf(provider: string): RegisteredModel[]
  /** Null once the registry has been read, which is nearly always. */
  whenLoaded(): Promise<void> | null
}

/** Models that a sync has found are known within a second. */
export function createModelRegistry(sql: Kysely<Schema>, rows: RowWatch): ModelRegistry {
  const models = rows.watch(modelsRevision, () => readModels(sql))
  return {
    known: models.find,
    listOf: provider => [...(models.find()?.values() ?? [])].filter(model => model.provider === provider),
    whenLoaded: models.whenLoaded,
  }
}

async function readModels(sql: Kysely<Schema>): Promise<ReadonlyMap<string, RegisteredModel>> {
  const rows = await sql.selectFrom('models').selectAll().orderBy('id').execute()
  // A tenant's provider has only the tenant's models, whatever is registered under the same slug.
  const registered = rows.filter(({ id }) => !isTenantProvider(providerOfModel(id) ?? ''))
  return new Map(registered.map(row => [row.id, readModel(row)]))
}

function readModel(row: Schema['models']): RegisteredModel {
  const capabilities = parseJson(row.capabilities)
  return {
    id: row.id,
    provider: row.provider_slug,
    facts: readModelFacts(row),
    prices: readPriceSchedule(parseJson(row.prices)),
    surfaces: readModelSurfaces(isJsonObject(capabilities) ? capabilities : {}),
  }
}

/** A model that belongs to a tenant's provider. */
export function tenantModel(provider: string, model: ListedModel): RegisteredModel {
  const { reasoning, temperature, structuredOutput, tools, vision, maxOutputTokens, contextWindow } = model
  return {
    id: `${provider}/${model.model}`,
    provider,
    facts: { reasoning, temperature, structuredOutput, tools, vision, maxOutputTokens, contextWindow },
    prices: readPriceSchedule(model.prices),
    surfaces: model.surfaces ?? readModelSurfaces({}),
  }
}
