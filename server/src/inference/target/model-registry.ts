// The model registry as inference asks it: which models there are, what they can do, what they cost. Read whole from
// the database and kept, and looked after beside the requests, so that none waits for it; while the database is away the last
// reading goes on.

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
  /** Of the reading at hand; `firstReading` sees to it that there is one. */
  find(id: string): RegisteredModel | undefined
  listOf(provider: string): RegisteredModel[]
  factsOf(id: string): ModelFacts
  /** Null where there is a reading to go on with, as nearly always. */
  firstReading(): Promise<void> | null
  stop(): void
}

/** What a sync found is known within a second, the look and the reading together. */
const lookMs = 500
/** For what was changed in the database by other hands, which raise no revision. */
const freshMs = 30_000

export function createModelRegistry(sql: Kysely<Schema>, now: () => number, log: Log): ModelRegistry {
  let models: ReadonlyMap<string, RegisteredModel> | null = null
  let revision = 0
  let readAt = 0
  let looking: Promise<void> | null = null
  let isFailing = false

  async function look(): Promise<void> {
    // Before the rows: what is changed in between is found at the next look.
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
  // While the database is certainly there.
  keepUp()
  return {
    find: id => models?.get(id),
    listOf: provider => (models === null ? [] : [...models.values()].filter(model => model.provider === provider)),
    factsOf: id => models?.get(id)?.facts ?? unknownModelFacts,
    firstReading: () => (models === null ? lookOnce() : null),
    stop() {
      clearInterval(timer)
      // A look that is under way may find the database closed.
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
