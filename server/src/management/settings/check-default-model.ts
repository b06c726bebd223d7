// Checks at the start that the registry knows the platform's default model: otherwise a misspelt name would first be
// noticed by an end user.

import type { Kysely } from 'kysely'
import { StartupProblem } from '../../domain/startup-problem.ts'
import type { Schema } from '../../storage/schema.ts'
import { modelsNamedIn } from './known-models.ts'

/** Throws if the model is neither in the seed, which is in the registry by now, nor was added by a sync. */
export async function checkDefaultModel(sql: Kysely<Schema>, model: string | null): Promise<void> {
  if (model === null || (await modelsNamedIn(sql, null, [model]))(model)) return
  throw new StartupProblem(
    `PLATFORM_DEFAULT_MODEL names a model that the registry does not know: ${model}. Correct it, ` +
      'or start without it and add the model with sync-models first.',
  )
}
