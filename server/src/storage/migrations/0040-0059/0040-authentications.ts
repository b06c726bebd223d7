// Adds to sessions how their user signed in. Older sessions do not say. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const authentications: Migration = {
  name: '0040-authentications',
  statements: ['alter table sessions add column authenticated_by TEXT'],
}
