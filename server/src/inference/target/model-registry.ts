// Caches the whole model registry: which models exist, what they can do, what they cost. A timer refreshes it, so that
// no request waits for the database; while the database is unavailable, the last known registry is used.

import type { Kysely } from 'kysely'
import { type ModelFacts, readModelFacts } from '../../domain/conversation/model-facts.ts'
import { type ModelSurface, readModelSurfaces } from '../../domain/conversation/model-surfaces.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import type { Log } from '../../domain/log.ts'
import { type PriceSchedule, readPriceSchedule } from '../../domain/prices/listed-prices.ts'
import type { ListedModel } from '../../providers/models/model-page.ts'
import { modelsRevision, readRevision } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'

export interface RegisteredModel {
  id: string
  provider: string
  facts: ModelFacts
  prices: PriceSchedule
  surfaces: readonly ModelSurface[]
}

export interface ModelRegistry {
  /** Finds nothing until the first read has ended: await `whenLoaded` before. */
  find(id: string): RegisteredModel | undefined
  listOf(provider: string): RegisteredModel[]
  /** Null once the registry has been read, which is nearly always. */
  whenLoaded(): Promise<void> | null
  stop(): void
}

/** With the time of a read, models that a sync has found are known within a second. */
const lookMs = 500
/**
 * The registry is re-read after this even if its revision is the same: changes made directly in the database do not
 * raise it.
 */
const freshMs = 30_000

export function createModelRegistry(sql: Kysely<Schema>, now: () => number, log: Log): ModelRegistry {
  let models: ReadonlyMap<string, RegisteredModel> | null = null
  let revision = 0
  let readAt = 0
  let polling: Promise<void> | null = null
  let isFailing = false

  async function poll(): Promise<void> {
    // Read before the rows: a change in between is then found by the next refresh.
    const current = await readRevision(sql, modelsRevision)
    if (models !== null && current === revision && now() - readAt < freshMs) return
    const rows = await sql.selectFrom('models').selectAll().orderBy('id').execute()
    models = new Map(rows.map(row => [row.id, readModel(row)]))
    revision = current
    readAt = now()
  }

  /** At most one read at a time; concurrent callers join it. */
  function pollOnce(): Promise<void> {
    polling ??= poll().finally(() => {
      polling = null
    })
    return polling
  }

  function keepUp(): void {
    pollOnce().then(
      () => {
        isFailing = false
      },
      (error: unknown) => {
        if (!isFailing) log.warn('model registry could not be read', { error })
        isFailing = true
      },
    )
  }

  const timer = setInterval(keepUp, lookMs).unref()
  // Loads the registry at the start, when the database is known to be reachable.
  keepUp()
  return {
    find: id => models?.get(id),
    listOf: provider => (models === null ? [] : [...models.values()].filter(model => model.provider === provider)),
    whenLoaded: () => (models === null ? pollOnce() : null),
    stop() {
      clearInterval(timer)
      // Suppresses the warning if a read in progress finds the database closed.
      isFailing = true
    },
  }
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
