// People, tenants, projects and everything that belongs to a project. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const accountsAndProjects: Migration = {
  name: '0001-accounts-and-projects',
  statements: [
    `create table users (
      id TEXT primary key,
      email TEXT not null unique,
      password_hash TEXT,
      created_at INT64 not null
    )`,
    `create table sessions (
      token_digest TEXT primary key,
      user_id TEXT not null references users (id) on delete cascade,
      created_at INT64 not null,
      expires_at INT64 not null
    )`,
    'create index sessions_user on sessions (user_id)',
    'create index sessions_expiry on sessions (expires_at)',

    `create table tenants (
      id TEXT primary key,
      name TEXT not null,
      plan TEXT not null check (plan in ('free', 'pro')),
      provider_keys_revision INT64 not null,
      created_at INT64 not null
    )`,
    `create table memberships (
      tenant_id TEXT not null references tenants (id),
      user_id TEXT not null references users (id) on delete cascade,
      role TEXT not null check (role in ('owner', 'member', 'viewer')),
      created_at INT64 not null,
      primary key (tenant_id, user_id)
    )`,
    'create index memberships_user on memberships (user_id, tenant_id)',
    `create table invitations (
      id TEXT primary key,
      token_digest TEXT not null unique,
      tenant_id TEXT not null references tenants (id),
      email TEXT not null,
      role TEXT not null check (role in ('owner', 'member', 'viewer')),
      created_at INT64 not null,
      expires_at INT64 not null,
      used_at INT64
    )`,
    'create index invitations_tenant on invitations (tenant_id, email)',
    'create index invitations_expiry on invitations (expires_at)',

    `create table projects (
      id TEXT primary key,
      tenant_id TEXT not null references tenants (id),
      name TEXT not null,
      slug TEXT not null unique,
      status TEXT not null check (status in ('active', 'suspended')),
      dns_status TEXT not null check (dns_status in ('PENDING', 'READY', 'FAILED')),
      dns_last_error TEXT,
      dns_updated_at INT64,
      created_at INT64 not null
    )`,
    'create index projects_tenant on projects (tenant_id, created_at, id)',
    'create index projects_dns on projects (dns_status, dns_updated_at)',
    `create table settings (
      id TEXT primary key,
      project_id TEXT not null unique references projects (id),
      system_prompt TEXT,
      memory_window INT64 not null,
      cors_origins TEXT not null,
      cors_allow_credentials INT64 not null check (cors_allow_credentials in (0, 1)),
      rpm_limit INT64 not null,
      tokens_per_day INT64 not null,
      pii_mode TEXT not null,
      pii_entities TEXT not null,
      sentinel_mode TEXT not null,
      sentinel_blocklist TEXT not null,
      memory_enabled INT64 not null check (memory_enabled in (0, 1)),
      retention_days INT64,
      store_tool_calls INT64 not null check (store_tool_calls in (0, 1)),
      provider_model TEXT,
      draft_provider_model TEXT,
      draft_saved_at INT64,
      deployed_at INT64,
      created_at INT64 not null,
      updated_at INT64 not null
    )`,
    `create table tiers (
      id TEXT primary key,
      project_id TEXT not null references projects (id),
      name TEXT not null,
      sort_order INT64 not null,
      overrides TEXT not null,
      created_at INT64 not null,
      updated_at INT64 not null,
      unique (project_id, name)
    )`,
    `create table deployments (
      project_id TEXT not null references projects (id),
      number INT64 not null,
      snapshot TEXT not null,
      changes TEXT not null,
      deployed_at INT64 not null,
      deployed_by TEXT not null,
      primary key (project_id, number)
    )`,
    `create table live_configs (
      project_id TEXT primary key references projects (id),
      revision INT64 not null,
      body TEXT not null,
      updated_at INT64 not null
    )`,
    `create table api_keys (
      id TEXT primary key,
      project_id TEXT not null references projects (id),
      name TEXT not null,
      role TEXT not null,
      digest TEXT not null unique,
      hash TEXT not null,
      created_at INT64 not null,
      revoked_at INT64
    )`,
    'create index api_keys_project on api_keys (project_id, created_at, id)',
    `create table provider_keys (
      id TEXT primary key,
      tenant_id TEXT not null references tenants (id),
      provider_type TEXT not null,
      ciphertext TEXT not null,
      key_last4 TEXT not null,
      base_url_override TEXT,
      key_set_at INT64 not null,
      unique (tenant_id, provider_type)
    )`,
    `create table identity_providers (
      project_id TEXT primary key references projects (id),
      revision INT64 not null,
      issuer TEXT not null,
      jwks_url TEXT not null,
      audience TEXT not null,
      user_id_claim TEXT not null,
      tier_claim TEXT,
      key_set TEXT,
      last_synced_at INT64,
      last_error TEXT,
      created_at INT64 not null,
      updated_at INT64 not null
    )`,
  ],
}
