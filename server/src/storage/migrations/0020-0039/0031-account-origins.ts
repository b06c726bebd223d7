// Adds who vouches for an account: the tenant whose invitation made it, the operator, or the session issuer. Accounts
// that exist already have no home, since nobody recorded which tenants they belonged to; the oldest one is the
// operator's. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const accountOrigins: Migration = {
  name: '0031-account-origins',
  statements: [
    'alter table users add column home_tenant_id TEXT',
    'alter table users add column email_proven_at INT64',
    'update users set email_proven_at = created_at where created_at = (select min(created_at) from users)',
  ],
}
