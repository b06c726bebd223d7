// The tables with rows of a tenant or of its projects, in the order in which the rows may be erased. Erasure
// and export use this list, and a test fails if a table is missing.

import { type LateIndex, usageIndex } from '../late-index/late-index.ts'
import type { Schema } from '../schema.ts'

export interface OwnedTable {
  name: keyof Schema
  owner: 'tenant_id' | 'project_id'
  /** The columns that identify a row within its owner, in the order of an index that begins with the owner. */
  key: readonly string[]
  /**
   * The name of such a record in an export; null if the rows are derived from others, short-lived or the
   * operator's.
   */
  record: string | null
  /** Columns that are not exported: secrets, values derived from secrets, and internal values. */
  hidden?: readonly string[]
  json?: readonly string[]
  flags?: readonly string[]
  /** In place of an index that begins with the owner. */
  lateIndex?: LateIndex
  /** Columns whose values may be megabytes each: pages of such rows are also bounded by bytes. */
  large?: readonly string[]
}

const settingsFlags = ['cors_allow_credentials', 'memory_enabled', 'store_tool_calls']
const settingsJson = ['cors_origins', 'pii_entities', 'sentinel_blocklist']

export const projectTables: readonly OwnedTable[] = [
  { name: 'live_configs', owner: 'project_id', key: [], record: null },
  { name: 'api_keys', owner: 'project_id', key: ['id'], record: 'api_key', hidden: ['digest', 'hash'] },
  {
    name: 'identity_providers',
    owner: 'project_id',
    key: [],
    record: 'identity_provider',
    hidden: ['revision', 'key_set'],
  },
  {
    name: 'attestation_secrets',
    owner: 'project_id',
    key: ['kind'],
    record: 'attestation_secret',
    hidden: ['ciphertext'],
  },
  { name: 'settings', owner: 'project_id', key: [], record: 'settings', json: settingsJson, flags: settingsFlags },
  { name: 'tiers', owner: 'project_id', key: ['id'], record: 'tier', json: ['overrides'] },
  { name: 'prompts', owner: 'project_id', key: ['name'], record: 'prompt', json: ['template'] },
  {
    name: 'deployments',
    owner: 'project_id',
    key: ['number'],
    record: 'deployment',
    json: ['snapshot', 'changes'],
    large: ['snapshot'],
  },
  {
    name: 'thread_messages',
    owner: 'project_id',
    key: ['user_id', 'thread_id', 'position'],
    record: 'message',
    json: ['body'],
    large: ['body'],
  },
  { name: 'threads', owner: 'project_id', key: ['user_id', 'id'], record: 'thread' },
  {
    name: 'stored_responses',
    owner: 'project_id',
    key: ['user_id', 'id'],
    record: 'response',
    json: ['body', 'messages'],
    large: ['body', 'messages'],
  },
  { name: 'end_user_restrictions', owner: 'project_id', key: ['user_id'], record: 'end_user_restriction' },
  {
    name: 'end_user_budgets',
    owner: 'project_id',
    key: ['user_id'],
    record: 'end_user_budgets',
    json: ['budgets'],
  },
  { name: 'request_alerts', owner: 'project_id', key: ['name'], record: 'request_alert', json: ['alert'] },
  { name: 'end_user_erasures', owner: 'project_id', key: ['user_id'], record: null },
  { name: 'end_users', owner: 'project_id', key: ['user_id'], record: 'end_user' },
  {
    name: 'usage_records',
    owner: 'project_id',
    key: ['request_id'],
    record: 'usage_record',
    hidden: ['platform_day', 'platform_nanousd'],
    flags: ['is_estimated'],
    lateIndex: usageIndex,
  },
  { name: 'usage_records_by_project', owner: 'project_id', key: ['request_id'], record: null },
  { name: 'usage_days', owner: 'project_id', key: ['day', 'user_id', 'model'], record: 'usage_day' },
  {
    name: 'usage_endpoints',
    owner: 'project_id',
    key: ['day', 'user_id', 'model', 'endpoint'],
    record: 'usage_endpoint',
  },
  {
    name: 'usage_rollups',
    owner: 'project_id',
    key: ['day', 'model', 'usage_day'],
    record: 'usage_rollup',
  },
  { name: 'usage_tiers', owner: 'project_id', key: ['day', 'tier'], record: 'usage_tier' },
]

export const tenantTables: readonly OwnedTable[] = [
  { name: 'memberships', owner: 'tenant_id', key: ['user_id'], record: 'member' },
  { name: 'invitations', owner: 'tenant_id', key: ['id'], record: 'invitation', hidden: ['token_digest'] },
  { name: 'roles', owner: 'tenant_id', key: ['name'], record: 'role', json: ['permissions'] },
  {
    name: 'service_accounts',
    owner: 'tenant_id',
    key: ['id'],
    record: 'service_account',
    hidden: ['key_digest', 'previous_digest'],
    json: ['permissions', 'projects'],
  },
  {
    name: 'sso_connections',
    owner: 'tenant_id',
    key: [],
    record: 'single_sign_on',
    hidden: ['ciphertext'],
    json: ['domains', 'role_map'],
    flags: ['required'],
  },
  { name: 'sso_domains', owner: 'tenant_id', key: ['domain'], record: null },
  { name: 'sso_identities', owner: 'tenant_id', key: ['issuer', 'subject'], record: 'identity' },
  { name: 'sso_attempts', owner: 'tenant_id', key: [], record: null },
  { name: 'sso_links', owner: 'tenant_id', key: [], record: null },
  { name: 'sessions', owner: 'tenant_id', key: [], record: null },
  { name: 'audit_entries', owner: 'tenant_id', key: ['seq'], record: 'audit_entry', json: ['entry'], large: ['entry'] },
  { name: 'audit_heads', owner: 'tenant_id', key: [], record: null },
  { name: 'audit_refusals', owner: 'tenant_id', key: ['actor', 'minute'], record: null },
  { name: 'password_resets', owner: 'tenant_id', key: ['token_digest'], record: null },
  {
    name: 'provider_keys',
    owner: 'tenant_id',
    key: ['id'],
    record: 'provider_key',
    hidden: ['ciphertext'],
    json: ['details', 'models'],
  },
  {
    name: 'tenant_prices',
    owner: 'tenant_id',
    key: ['model', 'effective_at'],
    record: 'tenant_price',
    json: ['prices'],
  },
  {
    name: 'guardrail_events',
    owner: 'tenant_id',
    key: ['id'],
    record: 'guardrail_event',
    hidden: ['user_hash'],
    json: ['entity_types'],
  },
  { name: 'tenant_budgets', owner: 'tenant_id', key: [], record: 'tenant_budgets', json: ['budgets'] },
  { name: 'platform_days', owner: 'tenant_id', key: ['day'], record: null },
  { name: 'budget_alerts', owner: 'tenant_id', key: ['period', 'budget', 'threshold'], record: null },
  { name: 'guardrail_event_counts', owner: 'tenant_id', key: [], record: null },
  { name: 'tenant_events', owner: 'tenant_id', key: ['id'], record: 'tenant_event', json: ['data'] },
  {
    name: 'webhooks',
    owner: 'tenant_id',
    key: ['id'],
    record: 'webhook',
    hidden: ['ciphertext', 'previous_until', 'due_at', 'is_slow', 'claim', 'claimed_until'],
    json: ['types'],
  },
  {
    name: 'webhook_deliveries',
    owner: 'tenant_id',
    key: ['webhook_id', 'id'],
    record: 'webhook_delivery',
    json: ['body'],
  },
  // The meter first: without it no event is added.
  {
    name: 'meters',
    owner: 'tenant_id',
    key: ['id'],
    record: 'meter',
    hidden: ['ciphertext', 'failures', 'retry_at', 'is_slow', 'claim', 'claimed_until'],
    flags: ['signs'],
  },
  { name: 'meter_subjects', owner: 'tenant_id', key: ['meter_id', 'subject'], record: 'meter_subject' },
  { name: 'meter_events', owner: 'tenant_id', key: ['meter_id', 'request_id'], record: null },
]
