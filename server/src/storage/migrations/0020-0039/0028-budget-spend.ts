// What budgets have counted: the day whose budgets an answer was charged to, if it ended on another one, and the alerts
// that were recorded. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const budgetSpend: Migration = {
  name: '0028-budget-spend',
  statements: [
    'alter table usage_records add column budget_day TEXT',
    'create index usage_records_charged_before on usage_records (project_id, budget_day) where budget_day is not null',
    `create table budget_alerts (
      tenant_id TEXT not null,
      period TEXT not null,
      budget TEXT not null,
      threshold INT64 not null,
      created_at INT64 not null,
      primary key (tenant_id, period, budget, threshold)
    )`,
    'create index budget_alerts_age on budget_alerts (created_at)',
  ],
}
