// Alerts on the requests of projects, and which of them have begun. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const requestAlerts: Migration = {
  name: '0039-request-alerts',
  statements: [
    `create table request_alerts (
      project_id TEXT not null,
      name TEXT not null,
      position INT64 not null,
      alert TEXT not null,
      began_at INT64,
      primary key (project_id, name)
    )`,
  ],
}
