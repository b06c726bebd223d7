// What each project's host names were last made to lead to. Empty where nobody knows: they are made once more.
// Applied migrations never change: add another.
import type { Migration } from '../migrate.ts'

export const dnsTargets: Migration = {
  name: '0007-dns-targets',
  statements: ['alter table projects add column dns_made_for TEXT'],
}
