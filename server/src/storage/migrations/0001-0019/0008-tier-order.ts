// A tier's position is any finite number. No statement of both databases changes a column's type, so a new column
// replaces the old one. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const tierOrder: Migration = {
  name: '0008-tier-order',
  statements: [
    'alter table tiers add column any_order FLOAT64 not null default 0',
    'update tiers set any_order = sort_order',
    'alter table tiers drop column sort_order',
    'alter table tiers rename column any_order to sort_order',
  ],
}
