// Adds to the entries of the audit by which the last change of a thing is found: its project, and whether the act
// changed it. Both are null in older entries. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const targetsOfAudit: Migration = {
  name: '0050-targets-of-audit',
  statements: [
    'alter table audit_entries add column project_id TEXT',
    'alter table audit_entries add column is_change INT64',
  ],
}
