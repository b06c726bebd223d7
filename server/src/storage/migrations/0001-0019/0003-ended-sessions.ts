// Sessions of the external issuer that their users ended before they expired. Applied migrations never change: add
// another.
import type { Migration } from '../../migrate.ts'

export const endedSessions: Migration = {
  name: '0003-ended-sessions',
  statements: [
    `create table ended_sessions (
      token_digest TEXT primary key,
      expires_at INT64 not null
    )`,
    'create index ended_sessions_expiry on ended_sessions (expires_at)',
  ],
}
