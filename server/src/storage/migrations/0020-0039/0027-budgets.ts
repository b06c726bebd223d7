// Budgets of tenants and of end users; those of projects and tiers are settings. Applied migrations never change: add
// another.
import type { Migration } from '../../migrate.ts'

export const budgets: Migration = {
  name: '0027-budgets',
  statements: [
    `create table tenant_budgets (
      tenant_id TEXT primary key,
      budgets TEXT not null,
      updated_at INT64 not null
    )`,
    `create table end_user_budgets (
      project_id TEXT not null,
      user_id TEXT not null,
      budgets TEXT not null,
      updated_at INT64 not null,
      primary key (project_id, user_id)
    )`,
  ],
}
