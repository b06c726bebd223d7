// Looks up which of the given models a tenant can see: those of the registry and its own.

import type { Transaction } from 'kysely'
import type { JsonObject } from '../../domain/json-object.ts'
import { providerOfModel } from '../../domain/model-id.ts'
import { isTenantProvider } from '../../domain/provider.ts'
import type { IsKnownModel } from '../../domain/settings/field-types.ts'
import { modelsOfRoutes } from '../../domain/settings/routes.ts'
import { parseTenantModels } from '../../providers/models/tenant-model-list.ts'
import type { Schema } from '../../storage/schema.ts'

type Database = Pick<Transaction<Schema>, 'selectFrom'>

/** More than any field accepts. Further models of a longer list count as unknown. */
const maxNamed = 100

/** Looks up the models in settings or in a tier's overrides. */
export async function modelsNamedBySettings(
  sql: Database,
  tenantId: string,
  settings: JsonObject,
): Promise<IsKnownModel> {
  const named = [settings['provider_model'], ...modelsOfRoutes(settings['routes']), settings['allowed_models']].flat()
  return await modelsNamedIn(sql, tenantId, named.slice(0, maxNamed))
}

/** Values that are not strings count as unknown. A null tenant sees the registry only. */
export async function modelsNamedIn(
  sql: Database,
  tenantId: string | null,
  values: readonly unknown[],
): Promise<IsKnownModel> {
  const ids = values.filter(value => typeof value === 'string' && value.length <= 512 && !value.includes('\0'))
  const [own, registered] = partition(ids as string[], id => isTenantProvider(providerOfModel(id) ?? ''))
  const ownKnown = tenantId === null || own.length === 0 ? [] : await listOwnModels(sql, tenantId, own)
  const known = new Set([...ownKnown, ...(await listRegistered(sql, registered))])
  return id => known.has(id)
}

async function listRegistered(sql: Database, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await sql.selectFrom('models').select('id').where('id', 'in', ids).execute()
  return rows.map(row => row.id)
}

async function listOwnModels(sql: Database, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const providers = [...new Set(ids.map(id => providerOfModel(id) ?? ''))]
  const rows = await sql
    .selectFrom('provider_keys')
    .select(['provider_type', 'models'])
    .where('tenant_id', '=', tenantId)
    .where('provider_type', 'in', providers)
    .execute()
  return rows.flatMap(row => parseTenantModels(row.models ?? '[]').map(({ model }) => `${row.provider_type}/${model}`))
}

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): [T[], T[]] {
  const { first = [], second = [] } = Object.groupBy(values, value => (isFirst(value) ? 'first' : 'second'))
  return [first, second]
}
