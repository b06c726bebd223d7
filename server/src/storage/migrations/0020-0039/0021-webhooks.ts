// Events of tenants, and webhooks that deliver them. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const webhooks: Migration = {
  name: '0021-webhooks',
  statements: [
    `create table tenant_events (
      tenant_id TEXT not null,
      id TEXT not null,
      project_id TEXT,
      type TEXT not null,
      data TEXT not null,
      created_at INT64 not null,
      primary key (tenant_id, id)
    )`,
    'create index tenant_events_age on tenant_events (created_at)',
    `create table webhooks (
      id TEXT primary key,
      tenant_id TEXT not null,
      url TEXT not null,
      types TEXT,
      ciphertext TEXT not null,
      previous_until INT64,
      created_at INT64 not null,
      due_at INT64,
      is_slow INT64 not null,
      claim TEXT,
      claimed_until INT64 not null
    )`,
    'create index webhooks_by_tenant on webhooks (tenant_id, id)',
    'create index webhooks_due on webhooks (is_slow, due_at) where due_at is not null',
    `create table webhook_deliveries (
      tenant_id TEXT not null,
      webhook_id TEXT not null,
      id TEXT not null,
      type TEXT not null,
      body TEXT not null,
      status TEXT not null,
      attempts INT64 not null,
      last_status INT64,
      next_attempt_at INT64 not null,
      created_at INT64 not null,
      primary key (tenant_id, webhook_id, id)
    )`,
    'create index webhook_deliveries_age on webhook_deliveries (created_at)',
    `create index webhook_deliveries_pending on webhook_deliveries (webhook_id, next_attempt_at, id)
      where status = 'pending'`,
  ],
}
