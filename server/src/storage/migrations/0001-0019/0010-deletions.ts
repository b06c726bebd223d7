// When a project or a tenant was deleted. Its row stays until the worker has erased what belongs to it. Slugs
// of deleted projects are kept forever, and an index finds usage rows by project. Applied migrations never
// change: add another.
import type { Migration } from '../../migrate.ts'

export const deletions: Migration = {
  name: '0010-deletions',
  statements: [
    'alter table tenants add column deleted_at INT64',
    'alter table projects add column deleted_at INT64',
    'create index tenants_deleted on tenants (deleted_at) where deleted_at is not null',
    'create index projects_deleted on projects (deleted_at) where deleted_at is not null',
    `create table retired_slugs (
      slug TEXT primary key,
      retired_at INT64 not null
    )`,
    'create index usage_records_by_project on usage_records (project_id, request_id)',
  ],
}
