// The address and user agent of each session, when it was last seen, and links to set a new password. Existing
// sessions have no values in the new columns. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const sessionsAndResets: Migration = {
  name: '0011-sessions-and-resets',
  statements: [
    'alter table sessions add column last_seen_at INT64',
    'alter table sessions add column address TEXT',
    'alter table sessions add column user_agent TEXT',
    `create table password_resets (
      token_digest TEXT primary key,
      user_id TEXT not null references users (id) on delete cascade,
      tenant_id TEXT references tenants (id),
      made_by TEXT references users (id) on delete cascade,
      created_at INT64 not null,
      expires_at INT64 not null
    )`,
    'create index password_resets_user on password_resets (user_id)',
    'create index password_resets_tenant on password_resets (tenant_id, token_digest)',
    'create index password_resets_expiry on password_resets (expires_at)',
  ],
}
