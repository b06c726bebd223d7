// Seeds the model registry and the provider catalog. Rows that a sync found or an operator changed stay unchanged; rows
// from an older seed are updated.

import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { providerSlugs } from '../domain/provider.ts'
import { modelSeedRows, providerSeedRows } from './model-seed.ts'
import type { Schema } from './schema.ts'
import { transact } from './transact.ts'

const rowsPerStatement = 50

export async function seedRegistry(sql: Kysely<Schema>, now: () => number, randomId: () => string): Promise<void> {
  const models = modelSeedRows(0)
  // Includes the providers: a new one may come without models.
  const digest = createHash('sha256').update(JSON.stringify({ models, providerSlugs })).digest()
  const name = `model-seed:${digest.toString('hex')}`
  const done = await sql.selectFrom('revisions').select('revision').where('name', '=', name).executeTakeFirst()
  if (done !== undefined) return
  await transact(sql, async trx => {
    // Replicas that start together wait for each other on this row; the first one seeds.
    const first = await trx
      .insertInto('revisions')
      .values({ name, revision: 1 })
      .onConflict(conflict => conflict.doNothing())
      .returning('name')
      .executeTakeFirst()
    if (first === undefined) return
    await trx
      .insertInto('providers')
      .values(providerSeedRows(now(), randomId))
      .onConflict(conflict => conflict.doNothing())
      .execute()
    for (let start = 0; start < models.length; start += rowsPerStatement) {
      const rows = models.slice(start, start + rowsPerStatement).map(model => ({ ...model, updated_at: now() }))
      await trx
        .insertInto('models')
        .values(rows)
        .onConflict(conflict =>
          conflict
            .column('id')
            .doUpdateSet(row => ({
              display_name: row.ref('excluded.display_name'),
              capabilities: row.ref('excluded.capabilities'),
              context_window: row.ref('excluded.context_window'),
              max_output_tokens: row.ref('excluded.max_output_tokens'),
              supports_streaming: row.ref('excluded.supports_streaming'),
              supports_tool_use: row.ref('excluded.supports_tool_use'),
              supports_vision: row.ref('excluded.supports_vision'),
              prices: row.ref('excluded.prices'),
              updated_at: row.ref('excluded.updated_at'),
            }))
            .where('models.source', '=', 'seed'),
        )
        .execute()
    }
  })
}
