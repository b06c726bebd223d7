// Responses that clients may read again and continue. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const storedResponses: Migration = {
  name: '0020-stored-responses',
  statements: [
    `create table stored_responses (
      project_id TEXT not null references projects (id),
      user_id TEXT not null,
      id TEXT not null,
      previous_id TEXT,
      body TEXT not null,
      messages TEXT not null,
      message_count INT64 not null,
      created_at INT64 not null,
      expires_at INT64 not null,
      primary key (project_id, user_id, id)
    )`,
    'create index stored_responses_expiry on stored_responses (expires_at)',
  ],
}
