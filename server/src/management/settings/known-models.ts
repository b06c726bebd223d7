// The model registry as management asks it: which of the named models are known.

import type { Transaction } from 'kysely'
import type { JsonObject } from '../../domain/json-object.ts'
import type { IsKnownModel } from '../../domain/settings/field-types.ts'
import type { Schema } from '../../storage/schema.ts'

type Database = Pick<Transaction<Schema>, 'selectFrom'>

/** More than any field may name; of a longer list the rest is not known. */
const maxNamed = 100

/** The models that settings, or a tier's overrides, name. */
export async function modelsNamedBySettings(sql: Database, settings: JsonObject): Promise<IsKnownModel> {
  return await modelsNamedIn(sql, [settings['provider_model'], settings['allowed_models']].flat().slice(0, maxNamed))
}

/** Looks the given values up once; what is no string is no model. */
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
