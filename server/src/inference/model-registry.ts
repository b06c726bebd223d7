// The model registry as inference asks it: which models there are, what they can do, what they cost. Read whole from
// the database and kept; while the database is away the last reading goes on.

import type { Kysely } from 'kysely'
import { isJsonObject, parseJson } from '../domain/json-object.ts'
import type { Log } from '../domain/log.ts'
import { type ModelFacts, readModelFacts, unknownModelFacts } from '../domain/model-facts.ts'
import type { Schema } from '../storage/schema.ts'

export interface RegisteredModel {
  id: string
  provider: string
  facts: ModelFacts
  prices: Prices
  /** False where the provider serves it on another route only. */
  answersChats: boolean
}

/** USD per million tokens; null where nobody knows. */
export interface Prices {
  input: number | null
  output: number | null
  cacheRead: number | null
  cacheWrite: number | null
}

export interface ModelRegistry {
  /** Of the reading at hand; `refresh` sees to it that there is one. */
  find(id: string): RegisteredModel | undefined
  listOf(provider: string): RegisteredModel[]
  factsOf(id: string): ModelFacts
  /** Null where there is one to go on with, as nearly always. */
  refresh(): Promise<void> | null
  /** Waits for a reading of the last second: for whoever asks what there is. */
  readAnew(): Promise<void>
}

const freshMs = 30_000
const anewMs = 1_000

export function createModelRegistry(sql: Kysely<Schema>, now: () => number, log: Log): ModelRegistry {
  let models = new Map<string, RegisteredModel>()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  async function read(): Promise<void> {
    try {
      const rows = await sql.selectFrom('models').selectAll().orderBy('id').execute()
      models = new Map(rows.map(row => [row.id, readModel(row)]))
    } catch (error) {
      // Without any reading there is nothing to go on with.
      if (models.size === 0) throw error
      log.warn('model registry could not be read', { error })
    }
    readAt = now()
  }

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      reading = null
    })
    return reading
  }

  return {
    find: id => models.get(id),
    listOf: provider => [...models.values()].filter(model => model.provider === provider),
    factsOf: id => models.get(id)?.facts ?? unknownModelFacts,
    refresh() {
      if (now() - readAt < freshMs) return null
      const next = readOnce()
      return models.size === 0 ? next : null
    },
    async readAnew() {
      if (now() - readAt >= anewMs) await readOnce()
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
