// The score that Sentinel gave a text. Existing events have none. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const scoresOfEvents: Migration = {
  name: '0045-scores-of-events',
  statements: ['alter table guardrail_events add column score TEXT'],
}
