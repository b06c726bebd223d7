// Adds to projects what manages them in place of the dashboard; null where nothing does. Applied migrations never
// change: add another.
import type { Migration } from '../../migrate.ts'

export const managedProjects: Migration = {
  name: '0051-managed-projects',
  statements: ['alter table projects add column managed_by TEXT'],
}
