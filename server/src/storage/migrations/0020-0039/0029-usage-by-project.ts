// Usage rows are found by project in a table of its own, to which the worker adds them later and in order. An index
// would have to be changed with each row, on another page for each project. Nothing is added here: until the worker has
// added the rows of an older version, they are read like the newest ones. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const usageByProject: Migration = {
  name: '0029-usage-by-project',
  statements: [
    'drop index usage_records_by_project',
    `create table usage_records_by_project (
      project_id TEXT not null,
      request_id TEXT not null,
      primary key (project_id, request_id)
    ) CLUSTERED`,
    `create table late_indexes (
      name TEXT primary key,
      built_through INT64 not null
    )`,
  ],
}
