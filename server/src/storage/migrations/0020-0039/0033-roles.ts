// Adds the roles that a tenant makes itself. Memberships and invitations are made anew, since neither database can
// change the check that allowed three names only. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const roles: Migration = {
  name: '0033-roles',
  statements: [
    `create table roles (
      tenant_id TEXT not null references tenants (id),
      name TEXT not null,
      description TEXT,
      permissions TEXT not null,
      created_at INT64 not null,
      updated_at INT64 not null,
      primary key (tenant_id, name)
    )`,
    `create table memberships_by_role (
      tenant_id TEXT not null references tenants (id),
      user_id TEXT not null references users (id) on delete cascade,
      role TEXT not null,
      created_at INT64 not null,
      primary key (tenant_id, user_id)
    )`,
    `insert into memberships_by_role (tenant_id, user_id, role, created_at)
      select tenant_id, user_id, role, created_at from memberships`,
    'drop table memberships',
    'alter table memberships_by_role rename to memberships',
    'create index memberships_user on memberships (user_id, tenant_id)',
    `create table invitations_by_role (
      id TEXT primary key,
      token_digest TEXT not null unique,
      tenant_id TEXT not null references tenants (id),
      email TEXT not null,
      role TEXT not null,
      created_at INT64 not null,
      expires_at INT64 not null,
      used_at INT64
    )`,
    `insert into invitations_by_role (id, token_digest, tenant_id, email, role, created_at, expires_at, used_at)
      select id, token_digest, tenant_id, email, role, created_at, expires_at, used_at from invitations`,
    'drop table invitations',
    'alter table invitations_by_role rename to invitations',
    'create index invitations_tenant on invitations (tenant_id, email)',
    'create index invitations_expiry on invitations (expires_at)',
  ],
}
