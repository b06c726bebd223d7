// The target of each project's host names. Empty if unknown: the names are registered again. Applied migrations never
// change: add another.
import type { Migration } from '../../migrate.ts'

export const dnsTargets: Migration = {
  name: '0007-dns-targets',
  statements: ['alter table projects add column dns_made_for TEXT'],
}
