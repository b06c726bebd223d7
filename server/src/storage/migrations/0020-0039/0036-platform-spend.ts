// What the platform's own provider keys paid for, by tenant and day; null in rows of usage that the operator does not
// bound. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const platformSpend: Migration = {
  name: '0036-platform-spend',
  statements: [
    'alter table usage_records add column platform_day TEXT',
    'alter table usage_records add column platform_nanousd INT64',
    `create table platform_days (
      tenant_id TEXT not null,
      day TEXT not null,
      tokens INT64 not null,
      cost_nanousd INT64 not null,
      primary key (tenant_id, day)
    )`,
    'create index platform_days_by_day on platform_days (day)',
  ],
}
