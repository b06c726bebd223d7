// Caches the whole model registry: which models exist, what they can do, what they cost. A timer refreshes it, so that
// no request waits for the database; while the database is unavailable, the last known registry is used.

import type { Kysely } from 'kysely'
import { type ModelFacts, readModelFacts, unknownModelFacts } from '../../domain/conversation/model-facts.ts'
import { isJsonObject, parseJson } from '../../domain/json-object.ts'
import type { Log } from '../../domain/log.ts'
import { modelsRevision, readRevision } from '../../storage/projections.ts'
import type { Schema } from '../../storage/schema.ts'

export interface RegisteredModel {
  id: string
  provider: string
  facts: ModelFacts
  prices: Prices
  /** False if the provider does not serve the model as chat completions. */
  answersChats: boolean
}

/** USD per million tokens; null if unknown. */
export interface Prices {
  input: number | null
  output: number | null
  cacheRead: number | null
  cacheWrite: number | null
}

export interface ModelRegistry {
  /** Finds nothing until the first read has ended: await `whenLoaded` before. */
  find(id: string): RegisteredModel | undefined
  listOf(provider: string): RegisteredModel[]
  factsOf(id: string): ModelFacts
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
  let looking: Promise<void> | null = null
  let isFailing = false

  async function look(): Promise<void> {
    // Read before the rows: a change in between is then found by the next refresh.
    const current = await readRevision(sql, modelsRevision)
    if (models !== null && current === revision && now() - readAt < freshMs) return
    const rows = await sql.selectFrom('models').selectAll().orderBy('id').execute()
    models = new Map(rows.map(row => [row.id, readModel(row)]))
    revision = current
    readAt = now()
  }

  /** At most one read at a time; concurrent callers join it. */
  function lookOnce(): Promise<void> {
    looking ??= look().finally(() => {
      looking = null
    })
    return looking
  }

  function keepUp(): void {
    lookOnce().then(
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
    factsOf: id => models?.get(id)?.facts ?? unknownModelFacts,
    whenLoaded: () => (models === null ? lookOnce() : null),
    stop() {
      clearInterval(timer)
      // Suppresses the warning if a read in progress finds the database closed.
      isFailing = true
    },
  }
}

function readModel(row: Schema['models']): RegisteredModel {
  const capabilities = parseJson(row.capabilities)
  const prices = parseJson(row.prices)
  return {
    id: row.id,
    provider: row.provider_slug,
    facts: readModelFacts(row),
    prices: {
      input: readPrice(prices, 'input'),
      output: readPrice(prices, 'output'),
      cacheRead: readPrice(prices, 'cacheRead'),
      cacheWrite: readPrice(prices, 'cacheWrite'),
    },
    answersChats: !isJsonObject(capabilities) || capabilities['chatCompletions'] !== false,
  }
}

function readPrice(prices: unknown, name: string): number | null {
  const price = isJsonObject(prices) ? prices[name] : null
  return typeof price === 'number' && price >= 0 ? price : null
}
