// Rollups of usage by day and model that never change once their day is closed. Applied migrations never change: add
// another.
import type { Migration } from '../../migrate.ts'

export const usageRollups: Migration = {
  name: '0022-usage-rollups',
  statements: [
    `create table usage_closings (
      day TEXT primary key,
      closed_at INT64
    )`,
    `create table usage_rollups (
      project_id TEXT not null,
      day TEXT not null,
      model TEXT not null,
      usage_day TEXT not null,
      requests INT64 not null,
      prompt_tokens INT64 not null,
      completion_tokens INT64 not null,
      total_tokens INT64 not null,
      cost_nanousd INT64 not null,
      primary key (project_id, day, model, usage_day)
    )`,
  ],
}
