// Adds the prompts of projects, and which variable of one an event of Sentinel is about. Applied migrations never
// change: add another.
import type { Migration } from '../../migrate.ts'

export const prompts: Migration = {
  name: '0041-prompts',
  statements: [
    `create table prompts (
      project_id TEXT not null references projects (id),
      name TEXT not null,
      template TEXT not null,
      created_at INT64 not null,
      updated_at INT64 not null,
      primary key (project_id, name)
    )`,
    'alter table guardrail_events add column variable TEXT',
  ],
}
