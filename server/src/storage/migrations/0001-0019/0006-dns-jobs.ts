// The queue of host names to register or remove. Projects that already wait get a row. Applied migrations never change:
// add another.
import type { Migration } from '../../migrate.ts'

export const dnsJobs: Migration = {
  name: '0006-dns-jobs',
  statements: [
    `create table dns_jobs (
      project_id TEXT primary key references projects (id),
      revision INT64 not null,
      tries INT64 not null,
      first_tried_at INT64,
      next_try_at INT64 not null,
      claim TEXT,
      claimed_until INT64 not null
    )`,
    'create index dns_jobs_due on dns_jobs (next_try_at)',
    `insert into dns_jobs (project_id, revision, tries, first_tried_at, next_try_at, claim, claimed_until)
      select id, 1, 0, null, created_at, null, 0 from projects where dns_status = 'PENDING' and status = 'active'`,
  ],
}
