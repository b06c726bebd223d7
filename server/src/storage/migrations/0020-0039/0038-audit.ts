// Adds the audit: the entries of each chain, its end, and the counts of refused acts. Applied migrations never change:
// add another.
import type { Migration } from '../../migrate.ts'

export const audit: Migration = {
  name: '0038-audit',
  statements: [
    `create table audit_entries (
      tenant_id TEXT not null,
      seq INT64 not null,
      at INT64 not null,
      actor_id TEXT,
      action TEXT not null,
      target_type TEXT not null,
      target_id TEXT,
      outcome TEXT not null check (outcome in ('done', 'refused')),
      entry TEXT not null,
      primary key (tenant_id, seq)
    )`,
    'create index audit_entries_time on audit_entries (at)',
    'create index audit_entries_actor on audit_entries (tenant_id, actor_id, seq)',
    'create index audit_entries_target on audit_entries (tenant_id, target_id, seq)',
    `create table audit_heads (
      tenant_id TEXT primary key,
      seq INT64 not null,
      hash TEXT not null,
      start_seq INT64 not null,
      start_hash TEXT not null,
      start_signature TEXT
    )`,
    `create table audit_refusals (
      tenant_id TEXT not null,
      actor TEXT not null,
      minute INT64 not null,
      count INT64 not null,
      primary key (tenant_id, actor, minute)
    )`,
    'create index audit_refusals_minute on audit_refusals (minute)',
  ],
}
