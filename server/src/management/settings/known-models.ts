// Looks up which of the given models are in the registry.

import type { Transaction } from 'kysely'
import type { JsonObject } from '../../domain/json-object.ts'
import type { IsKnownModel } from '../../domain/settings/field-types.ts'
import type { Schema } from '../../storage/schema.ts'

type Database = Pick<Transaction<Schema>, 'selectFrom'>

/** More than any field accepts. Further models of a longer list count as unknown. */
const maxNamed = 100

/** Looks up the models in settings or in a tier's overrides. */
export async function modelsNamedBySettings(sql: Database, settings: JsonObject): Promise<IsKnownModel> {
  return await modelsNamedIn(sql, [settings['provider_model'], settings['allowed_models']].flat().slice(0, maxNamed))
}

/** Looks up all values in one query. Values that are not strings count as unknown. */
export async function modelsNamedIn(sql: Database, values: readonly unknown[]): Promise<IsKnownModel> {
  const ids = values.filter(value => typeof value === 'string' && value.length <= 512 && !value.includes('\0'))
  if (ids.length === 0) return () => false
  const rows = await sql
    .selectFrom('models')
    .select('id')
    .where('id', 'in', ids as string[])
    .execute()
  const known = new Set(rows.map(row => row.id))
  return id => known.has(id)
}
