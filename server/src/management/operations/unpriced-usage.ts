// Finds the usage of all tenants that cost nothing because its model has no price, as opposed to a price of 0.

import { providerOfModel } from '../../domain/model-id.ts'
import { type PriceSchedule, pricesAt, readPriceSchedule } from '../../domain/prices/listed-prices.ts'
import { isTenantProvider } from '../../domain/provider.ts'
import { parseTenantModels } from '../../providers/models/tenant-model-list.ts'
import { projectTenantPrices } from '../../storage/tenant-prices.ts'
import { type FreeUsage, type FreeUsageFilter, listFreeUsage } from '../../storage/usage-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'

type Management = Pick<ManagementDependencies, 'sql' | 'now'>

/** Returns those of the groups that have such usage. Prices are those of now. */
export async function findUnpriced({ sql, now }: Management, filter: FreeUsageFilter): Promise<ReadonlySet<string>> {
  const free = filter.groups.length === 0 ? [] : await listFreeUsage(sql, filter)
  if (free.length === 0) return new Set()
  const at = now()
  const isPriced = (schedule: PriceSchedule | undefined) => schedule !== undefined && pricesAt(schedule, at) !== null
  const listed = await readListedPrices(sql, free)
  const unlisted = free.filter(({ model }) => !isPriced(listed.get(model)))
  const own = await readOwnPrices(sql, unlisted)
  return new Set(unlisted.filter(usage => !own(usage).some(isPriced)).map(({ group }) => group))
}

async function readListedPrices(sql: Database, usage: readonly FreeUsage[]) {
  const models = [...new Set(usage.map(({ model }) => model))]
  const rows = await sql.selectFrom('models').select(['id', 'prices']).where('id', 'in', models).execute()
  return new Map(rows.map(({ id, prices }) => [id, readPriceSchedule(JSON.parse(prices))]))
}

type Database = Pick<ManagementDependencies['sql'], 'selectFrom'>

/** The prices that the tenant has set for the model, and those of its own provider. */
async function readOwnPrices(sql: Database, usage: readonly FreeUsage[]) {
  const tenants = [...new Set(usage.map(({ tenant_id }) => tenant_id))]
  if (tenants.length === 0) return () => []
  const set = await projectTenantPrices(sql, tenants)
  const ofProviders = await sql
    .selectFrom('provider_keys')
    .select(['tenant_id', 'provider_type', 'models'])
    .where('tenant_id', 'in', tenants)
    .where('models', 'is not', null)
    .execute()
  return ({ tenant_id, model }: FreeUsage): PriceSchedule[] => {
    const ofTenant = set.get(tenant_id)?.[model]
    const provider = providerOfModel(model) ?? ''
    const found = ofProviders.find(row => row.tenant_id === tenant_id && row.provider_type === provider)
    const ofModel = isTenantProvider(provider)
      ? parseTenantModels(found?.models ?? '[]').find(known => `${provider}/${known.model}` === model)
      : undefined
    return [ofTenant, ofModel?.prices].filter(prices => prices !== undefined).map(readPriceSchedule)
  }
}
