// Usage by tier, in sums of its own: replicas of the version before go on writing `usage_days` during an update. Usage
// of the time before has no tier. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const usageByTier: Migration = {
  name: '0016-usage-by-tier',
  statements: [
    'alter table usage_records add column tier TEXT',
    `create table usage_tiers (
      project_id TEXT not null,
      day TEXT not null,
      tier TEXT not null,
      requests INT64 not null,
      prompt_tokens INT64 not null,
      completion_tokens INT64 not null,
      total_tokens INT64 not null,
      cost_nanousd INT64 not null,
      primary key (project_id, day, tier)
    )`,
  ],
}
