// Adds single sign-on: issuers of tenants, identities, sign-ins under way, and which sessions they opened. Applied
// migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const singleSignOn: Migration = {
  name: '0048-single-sign-on',
  statements: [
    `create table sso_connections (
      tenant_id TEXT primary key references tenants (id),
      issuer TEXT not null,
      client_id TEXT not null,
      ciphertext TEXT not null,
      domains TEXT not null,
      required INT64 not null check (required in (0, 1)),
      break_glass_user_id TEXT,
      default_role TEXT not null,
      role_claim TEXT,
      role_map TEXT not null,
      created_at INT64 not null,
      updated_at INT64 not null
    )`,
    `create table sso_domains (
      domain TEXT primary key,
      tenant_id TEXT not null references tenants (id)
    )`,
    'create index sso_domains_tenant on sso_domains (tenant_id, domain)',
    `create table sso_identities (
      id TEXT primary key,
      tenant_id TEXT not null,
      issuer TEXT not null,
      subject TEXT not null,
      user_id TEXT not null references users (id) on delete cascade,
      created_at INT64 not null,
      last_used_at INT64 not null,
      unique (tenant_id, issuer, subject)
    )`,
    'create index sso_identities_user on sso_identities (user_id)',
    `create table sso_attempts (
      state_digest TEXT primary key,
      browser_digest TEXT not null,
      tenant_id TEXT not null,
      return_to TEXT not null,
      expires_at INT64 not null
    )`,
    'create index sso_attempts_expiry on sso_attempts (expires_at)',
    `create table sso_links (
      browser_digest TEXT primary key,
      tenant_id TEXT not null,
      issuer TEXT not null,
      subject TEXT not null,
      email TEXT not null,
      role TEXT,
      return_to TEXT not null,
      expires_at INT64 not null
    )`,
    'create index sso_links_expiry on sso_links (expires_at)',
    'alter table sessions add column tenant_id TEXT',
    'alter table sessions add column identity_id TEXT',
    'alter table sessions add column refresh_token TEXT',
    'alter table sessions add column refresh_at INT64',
    'create index sessions_tenant on sessions (tenant_id)',
    'create index sessions_refresh on sessions (refresh_at)',
  ],
}
