// Threads and their messages; usage records, and their sums by day, user and model. Applied migrations never change:
// add another.
import type { Migration } from '../../migrate.ts'

export const conversationsAndUsage: Migration = {
  name: '0004-conversations-and-usage',
  statements: [
    `create table threads (
      project_id TEXT not null references projects (id),
      user_id TEXT not null,
      id TEXT not null,
      title TEXT not null,
      message_count INT64 not null,
      retention_days INT64,
      created_at INT64 not null,
      updated_at INT64 not null,
      primary key (project_id, user_id, id)
    )`,
    'create index threads_newest on threads (project_id, user_id, updated_at, id)',
    'create index threads_retention on threads (retention_days, updated_at)',
    `create table thread_messages (
      project_id TEXT not null,
      user_id TEXT not null,
      thread_id TEXT not null,
      position INT64 not null,
      id TEXT not null,
      role TEXT not null,
      body TEXT not null,
      created_at INT64 not null,
      primary key (project_id, user_id, thread_id, position),
      foreign key (project_id, user_id, thread_id) references threads (project_id, user_id, id) on delete cascade
    )`,
    `create table usage_records (
      request_id TEXT primary key,
      tenant_id TEXT not null,
      project_id TEXT not null,
      user_id TEXT not null,
      day TEXT not null,
      model TEXT not null,
      provider TEXT not null,
      prompt_tokens INT64 not null,
      completion_tokens INT64 not null,
      total_tokens INT64 not null,
      cached_tokens INT64 not null,
      reasoning_tokens INT64 not null,
      cost_nanousd INT64 not null,
      is_estimated INT64 not null check (is_estimated in (0, 1)),
      created_at INT64 not null
    )`,
    'create index usage_records_age on usage_records (created_at)',
    `create table usage_days (
      project_id TEXT not null,
      day TEXT not null,
      user_id TEXT not null,
      model TEXT not null,
      requests INT64 not null,
      prompt_tokens INT64 not null,
      completion_tokens INT64 not null,
      total_tokens INT64 not null,
      cost_nanousd INT64 not null,
      primary key (project_id, day, user_id, model)
    )`,
    'create index usage_days_by_day on usage_days (day, project_id)',
  ],
}
