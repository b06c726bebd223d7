// Checks at the start that the registry knows the platform's default model, and its price where the platform's key is
// bounded in dollars: otherwise both would first be noticed by an end user.

import type { Kysely } from 'kysely'
import type { PlatformBounds } from '../../domain/budgets/platform-bounds.ts'
import type { Log } from '../../domain/log.ts'
import { pricesAt, readPriceSchedule } from '../../domain/prices/listed-prices.ts'
import { StartupProblem } from '../../domain/startup-problem.ts'
import type { Schema } from '../../storage/schema.ts'
import { modelsNamedIn } from './known-models.ts'

interface Platform {
  platformDefaultModel: string | null
  platformBounds: PlatformBounds
}

/** Throws if the model is neither in the seed, which is in the registry by now, nor was added by a sync. */
export async function checkDefaultModel(
  sql: Kysely<Schema>,
  { platformDefaultModel: model, platformBounds: { usd } }: Platform,
  { now, log }: { now: () => number; log: Log },
): Promise<void> {
  if (model === null) return
  if (!(await modelsNamedIn(sql, null, [model]))(model)) {
    throw new StartupProblem(
      `PLATFORM_DEFAULT_MODEL names a model that the registry does not know: ${model}. Correct it, ` +
        'or start without it and add the model with sync-models first.',
    )
  }
  const isBounded = usd.ofAll !== null || usd.ofTenant !== null
  if (!isBounded || (await hasPrice(sql, model, now()))) return
  // Only a warning: sync-models may bring the price while the product runs.
  log.warn('the default model has no price, so the bound in dollars refuses every request', {
    variables: ['PLATFORM_DEFAULT_MODEL'],
  })
}

async function hasPrice(sql: Kysely<Schema>, model: string, now: number): Promise<boolean> {
  const { prices } = await sql.selectFrom('models').select('prices').where('id', '=', model).executeTakeFirstOrThrow()
  return pricesAt(readPriceSchedule(JSON.parse(prices)), now) !== null
}
