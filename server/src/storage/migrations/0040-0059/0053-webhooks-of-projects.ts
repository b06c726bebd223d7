// Adds to webhooks the project whose events alone they get; null for those that get the events of the whole tenant.
// Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const webhooksOfProjects: Migration = {
  name: '0053-webhooks-of-projects',
  statements: ['alter table webhooks add column project_id TEXT'],
}
