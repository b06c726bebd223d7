// The end users of each project, found in its usage and threads; their restrictions; and those whom the worker
// has to erase. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const endUsers: Migration = {
  name: '0014-end-users',
  statements: [
    `create table end_users (
      project_id TEXT not null,
      user_id TEXT not null,
      first_seen_at INT64,
      last_seen_at INT64,
      primary key (project_id, user_id)
    )`,
    `create table end_user_restrictions (
      project_id TEXT not null,
      user_id TEXT not null,
      blocked_at INT64,
      block_reason TEXT,
      tokens_revoked_before INT64,
      primary key (project_id, user_id)
    )`,
    `create table end_user_erasures (
      project_id TEXT not null,
      user_id TEXT not null,
      requested_at INT64 not null,
      primary key (project_id, user_id)
    )`,
    `insert into end_users (project_id, user_id, first_seen_at, last_seen_at)
      select project_id, user_id, min(seen_at), max(seen_at) from (
        select project_id, user_id, created_at as seen_at from usage_records
        union all select project_id, user_id, created_at from threads
        union all select project_id, user_id, updated_at from threads
      ) as sightings
      where user_id not like 'svc:%'
      group by project_id, user_id`,
  ],
}
