// The provider catalog and the service's own operational state. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const catalogAndOperations: Migration = {
  name: '0002-catalog-and-operations',
  statements: [
    `create table providers (
      id TEXT primary key,
      name TEXT not null unique,
      slug TEXT not null unique,
      display_name TEXT not null,
      is_active INT64 not null check (is_active in (0, 1)),
      models_endpoint_url TEXT,
      models_endpoint_auth_type TEXT,
      auth_config_schema TEXT,
      supported_features TEXT,
      created_at INT64 not null,
      updated_at INT64 not null
    )`,
    `create table models (
      id TEXT primary key,
      provider_slug TEXT not null references providers (slug),
      display_name TEXT not null,
      capabilities TEXT not null,
      context_window INT64,
      max_output_tokens INT64,
      supports_streaming INT64 check (supports_streaming in (0, 1)),
      supports_tool_use INT64 check (supports_tool_use in (0, 1)),
      supports_vision INT64 check (supports_vision in (0, 1)),
      prices TEXT not null,
      source TEXT not null,
      updated_at INT64 not null
    )`,
    'create index models_provider on models (provider_slug, id)',

    `create table kill_switches (
      scope TEXT not null check (scope in ('global', 'tenant', 'project')),
      target_id TEXT not null,
      enabled INT64 not null check (enabled in (0, 1)),
      updated_at INT64 not null,
      primary key (scope, target_id)
    )`,
    `create table revisions (
      name TEXT primary key,
      revision INT64 not null
    )`,
    `create table idempotency_keys (
      caller TEXT not null,
      method TEXT not null,
      path TEXT not null,
      key TEXT not null,
      request_digest TEXT not null,
      status INT64,
      body TEXT,
      is_secret INT64 not null check (is_secret in (0, 1)),
      created_at INT64 not null,
      primary key (caller, method, path, key)
    )`,
    'create index idempotency_keys_age on idempotency_keys (created_at)',
    `create table signing_keys (
      kid TEXT primary key,
      thumbprint TEXT not null,
      created_at INT64 not null
    )`,
    `create table leases (
      name TEXT primary key,
      holder TEXT not null,
      expires_at INT64 not null
    )`,
  ],
}
