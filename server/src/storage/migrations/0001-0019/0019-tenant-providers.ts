// Providers that a tenant configures as a whole, with models of its own. Existing keys have neither. Applied migrations
// never change: add another.
import type { Migration } from '../../migrate.ts'

export const tenantProviders: Migration = {
  name: '0019-tenant-providers',
  statements: [
    'alter table provider_keys add column display_name TEXT',
    'alter table provider_keys add column details TEXT',
    'alter table provider_keys add column models TEXT',
  ],
}
