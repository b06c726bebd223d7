// What models cost a tenant in place of the registry's prices. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const tenantPrices: Migration = {
  name: '0025-tenant-prices',
  statements: [
    `create table tenant_prices (
      tenant_id TEXT not null,
      model TEXT not null,
      effective_at INT64 not null,
      prices TEXT not null,
      updated_at INT64 not null,
      primary key (tenant_id, model, effective_at)
    )`,
  ],
}
