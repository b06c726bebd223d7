// Adds the meters of tenants, and the queue of their events. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const meters: Migration = {
  name: '0052-meters',
  statements: [
    `create table meters (
      id TEXT primary key,
      tenant_id TEXT not null,
      format TEXT not null,
      url TEXT not null,
      ciphertext TEXT not null,
      signs INT64 not null check (signs in (0, 1)),
      event_name TEXT not null,
      value TEXT not null,
      subject TEXT not null,
      created_at INT64 not null,
      updated_at INT64 not null,
      deleted_at INT64,
      sent INT64 not null,
      dropped INT64 not null,
      last_sent_at INT64,
      last_status INT64,
      last_error TEXT,
      last_error_at INT64,
      failures INT64 not null,
      retry_at INT64 not null,
      is_slow INT64 not null check (is_slow in (0, 1)),
      claim TEXT,
      claimed_until INT64 not null
    )`,
    'create unique index meters_by_tenant on meters (tenant_id) where deleted_at is null',
    'create index meters_of_tenant on meters (tenant_id, id)',
    `create table meter_subjects (
      tenant_id TEXT not null,
      meter_id TEXT not null,
      subject TEXT not null,
      customer TEXT not null,
      primary key (tenant_id, meter_id, subject)
    )`,
    `create table meter_events (
      tenant_id TEXT not null,
      meter_id TEXT not null,
      request_id TEXT not null,
      state TEXT not null,
      attempts INT64 not null,
      due_at INT64 not null,
      created_at INT64 not null,
      primary key (tenant_id, meter_id, request_id)
    )`,
    'create index meter_events_due on meter_events (meter_id, state, due_at, request_id)',
  ],
}
