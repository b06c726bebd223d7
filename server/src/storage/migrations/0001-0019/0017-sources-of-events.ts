// Where the text of Sentinel's events came from. Existing events have none. Applied migrations never change: add
// another.
import type { Migration } from '../../migrate.ts'

export const sourcesOfEvents: Migration = {
  name: '0017-sources-of-events',
  statements: ['alter table guardrail_events add column source TEXT'],
}
