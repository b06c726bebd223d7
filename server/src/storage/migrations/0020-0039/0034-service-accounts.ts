// Adds the service accounts of tenants. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const serviceAccounts: Migration = {
  name: '0034-service-accounts',
  statements: [
    `create table service_accounts (
      id TEXT primary key,
      tenant_id TEXT not null references tenants (id),
      name TEXT not null,
      permissions TEXT not null,
      projects TEXT,
      key_digest TEXT not null unique,
      hint TEXT not null,
      previous_digest TEXT unique,
      previous_until INT64,
      expires_at INT64,
      created_at INT64 not null,
      created_by TEXT not null,
      last_used_at INT64
    )`,
    'create index service_accounts_tenant on service_accounts (tenant_id, created_at, id)',
  ],
}
