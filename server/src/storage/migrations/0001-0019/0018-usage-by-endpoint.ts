// Usage by endpoint. Replicas of the version before go on writing chat completions, also to `usage_days`, during an
// update: the sums of chat completions are those of `usage_days` without these. Applied migrations never change: add
// another.
import type { Migration } from '../../migrate.ts'

export const usageByEndpoint: Migration = {
  name: '0018-usage-by-endpoint',
  statements: [
    `alter table usage_records add column endpoint TEXT not null default 'chat_completions'`,
    `create table usage_endpoints (
      project_id TEXT not null,
      day TEXT not null,
      user_id TEXT not null,
      model TEXT not null,
      endpoint TEXT not null,
      requests INT64 not null,
      prompt_tokens INT64 not null,
      completion_tokens INT64 not null,
      total_tokens INT64 not null,
      cost_nanousd INT64 not null,
      primary key (project_id, day, user_id, model, endpoint)
    )`,
    'create index usage_endpoints_by_day on usage_endpoints (day, project_id)',
  ],
}
