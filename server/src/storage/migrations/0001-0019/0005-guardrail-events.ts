// Guardrail events, and their count for each tenant. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const guardrailEvents: Migration = {
  name: '0005-guardrail-events',
  statements: [
    `create table guardrail_events (
      tenant_id TEXT not null,
      id TEXT not null,
      project_id TEXT not null,
      type TEXT not null,
      direction TEXT not null,
      mode TEXT not null,
      action_taken TEXT not null,
      entity_types TEXT,
      entity_count INT64,
      pattern_family TEXT,
      term_count INT64,
      request_id TEXT not null,
      timestamp TEXT not null,
      happened_at INT64 not null,
      primary key (tenant_id, id)
    )`,
    'create index guardrail_events_by_type on guardrail_events (tenant_id, type, id)',
    'create index guardrail_events_by_project on guardrail_events (tenant_id, project_id, id)',
    'create index guardrail_events_by_project_and_type on guardrail_events (tenant_id, project_id, type, id)',
    'create index guardrail_events_age on guardrail_events (happened_at)',
    `create table guardrail_event_counts (
      tenant_id TEXT primary key,
      held INT64 not null,
      capped INT64 not null
    )`,
  ],
}
