// The prices that tenants set: lists and replaces them. The data plane reads them in the document of the tenant's
// provider keys, so the caller raises its revision in the same transaction.

import type { Kysely, Selectable, Transaction } from 'kysely'
import type { JsonObject } from '../domain/json-object.ts'
import type { Schema } from './schema.ts'

type TenantPriceRow = Pick<Selectable<Schema['tenant_prices']>, 'model' | 'effective_at' | 'prices'>

/** Ordered by model, then by time. */
export async function listTenantPrices(
  sql: Pick<Kysely<Schema>, 'selectFrom'>,
  tenantId: string,
): Promise<TenantPriceRow[]> {
  return await sql
    .selectFrom('tenant_prices')
    .select(['model', 'effective_at', 'prices'])
    .where('tenant_id', '=', tenantId)
    .orderBy('model')
    .orderBy('effective_at')
    .execute()
}

/** By tenant, the prices of each model as `readPriceSchedule` reads them: the first ones, and the later as changes. */
export async function projectTenantPrices(sql: Pick<Kysely<Schema>, 'selectFrom'>, tenantIds: readonly string[]) {
  const rows = await sql
    .selectFrom('tenant_prices')
    .select(['tenant_id', 'model', 'effective_at', 'prices'])
    .where('tenant_id', 'in', tenantIds)
    .orderBy('model')
    .orderBy('effective_at')
    .execute()
  const prices = new Map<string, Record<string, JsonObject>>()
  for (const [tenantId, ofTenant] of Map.groupBy(rows, row => row.tenant_id)) {
    const schedules = [...Map.groupBy(ofTenant, row => row.model)].map(([model, dated]) => {
      const [first, ...changes] = dated.map(row => JSON.parse(row.prices))
      return [model, { ...first, changes }]
    })
    prices.set(tenantId, Object.fromEntries(schedules))
  }
  return prices
}

/** Also deletes the model's prices that began until `supersededUntil`. */
export async function putTenantPrice(
  trx: Transaction<Schema>,
  row: Schema['tenant_prices'],
  supersededUntil: number | null,
): Promise<void> {
  await trx
    .deleteFrom('tenant_prices')
    .where('tenant_id', '=', row.tenant_id)
    .where('model', '=', row.model)
    .where(({ or, eb }) =>
      or([
        eb('effective_at', '=', row.effective_at),
        ...(supersededUntil === null ? [] : [eb('effective_at', '<=', supersededUntil)]),
      ]),
    )
    .execute()
  await trx.insertInto('tenant_prices').values(row).execute()
}

/** Deletes the model's price of that time, or all of its prices if it is null. Returns how many. */
export async function deleteTenantPrices(
  trx: Transaction<Schema>,
  { tenantId, model, effectiveAt }: { tenantId: string; model: string; effectiveAt: number | null },
): Promise<number> {
  const prices = trx.deleteFrom('tenant_prices').where('tenant_id', '=', tenantId).where('model', '=', model)
  const { numDeletedRows } = await (effectiveAt === null
    ? prices
    : prices.where('effective_at', '=', effectiveAt)
  ).executeTakeFirst()
  return Number(numDeletedRows)
}
