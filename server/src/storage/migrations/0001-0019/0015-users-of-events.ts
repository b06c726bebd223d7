// Which events are of the same end user, by a hash of their id. Existing events have none. Applied migrations never
// change: add another.
import type { Migration } from '../../migrate.ts'

export const usersOfEvents: Migration = {
  name: '0015-users-of-events',
  statements: ['alter table guardrail_events add column user_hash TEXT'],
}
