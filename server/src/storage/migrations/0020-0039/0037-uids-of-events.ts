// Which end user an event of a guardrail is about. Existing events do not know it. Applied migrations never change: add
// another.
import type { Migration } from '../../migrate.ts'

export const uidsOfEvents: Migration = {
  name: '0037-uids-of-events',
  statements: ['alter table guardrail_events add column uid TEXT'],
}
