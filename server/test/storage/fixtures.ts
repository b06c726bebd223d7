// What the storage tests start from: temporary folders, a log that keeps its lines, one full and one sparse row a
// table.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Log } from '../../src/domain/log.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/storage/open-database.ts'
import type { Schema } from '../../src/storage/schema.ts'

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-storage-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function keepLog(): Log & { lines: string[] } {
  const lines: string[] = []
  const keep = (event: string): void => {
    lines.push(event)
  }
  return { lines, debug: keep, info: keep, warn: keep, error: keep }
}

/** Closed when the test ends. */
export async function openEmbedded(dataDir: string, more: Partial<DatabaseOptions> = {}): Promise<Database> {
  return closeAfterTest(await openDatabase({ databaseUrl: null, dataDir, log: keepLog(), now: Date.now, ...more }))
}

export async function openDistributed(databaseUrl: string, more: Partial<DatabaseOptions> = {}): Promise<Database> {
  return closeAfterTest(
    await openDatabase({ databaseUrl, dataDir: '/nonexistent', log: keepLog(), now: Date.now, ...more }),
  )
}

function closeAfterTest(database: Database): Database {
  onTestFinished(() => database.close())
  return database
}

type Rows = { [Table in keyof Schema]: [full: Schema[Table], sparse: Schema[Table]] }

const long = 'ä€😀'.repeat(50_000)
const time = 1_790_000_000_000

/**
 * In the order that the references between tables ask for. Full rows have a value everywhere, sparse ones null, 0 or
 * ''.
 */
export const sampleRows: Rows = {
  users: [
    { id: 'u1', email: 'zoë@example.com', password_hash: '$argon2id$v=19$', created_at: time },
    { id: 'u2', email: '', password_hash: null, created_at: 0 },
  ],
  sessions: [
    {
      token_digest: 'd1',
      user_id: 'u1',
      created_at: time,
      expires_at: Number.MAX_SAFE_INTEGER,
      last_seen_at: time,
      address: '192.0.2.1',
      user_agent: long,
    },
    {
      token_digest: '',
      user_id: 'u2',
      created_at: 0,
      expires_at: 0,
      last_seen_at: null,
      address: null,
      user_agent: null,
    },
  ],
  ended_sessions: [
    { token_digest: 'd2', expires_at: Number.MAX_SAFE_INTEGER },
    { token_digest: '', expires_at: 0 },
  ],
  tenants: [
    {
      id: 't1',
      name: 'Ümläut & <söhne> 😀',
      plan: 'pro',
      provider_keys_revision: 1,
      created_at: time,
      deleted_at: time,
    },
    { id: 't2', name: '', plan: 'free', provider_keys_revision: 0, created_at: 0, deleted_at: null },
  ],
  memberships: [
    { tenant_id: 't1', user_id: 'u1', role: 'owner', created_at: time },
    { tenant_id: 't1', user_id: 'u2', role: 'viewer', created_at: 0 },
  ],
  invitations: [
    {
      id: 'i1',
      token_digest: 'x',
      tenant_id: 't1',
      email: 'a@b.c',
      role: 'member',
      created_at: 1,
      expires_at: 2,
      used_at: 3,
    },
    {
      id: 'i2',
      token_digest: 'y',
      tenant_id: 't1',
      email: '',
      role: 'viewer',
      created_at: 0,
      expires_at: 0,
      used_at: null,
    },
  ],
  password_resets: [
    { token_digest: 'r1', user_id: 'u1', tenant_id: 't1', made_by: 'u2', created_at: time, expires_at: time },
    { token_digest: '', user_id: 'u2', tenant_id: null, made_by: null, created_at: 0, expires_at: 0 },
  ],
  projects: [
    {
      id: 'p1',
      tenant_id: 't1',
      name: "Robert'); drop table projects;--",
      slug: 'amber-falcon-4821',
      status: 'active',
      dns_status: 'FAILED',
      dns_last_error: 'REFUSED\n\ttwice "quoted" \\ %',
      dns_updated_at: time,
      created_at: time,
      dns_made_for: 'rfc2136 gate.test A 192.0.2.1',
      deleted_at: time,
    },
    {
      id: 'p2',
      tenant_id: 't2',
      name: '',
      slug: 'b',
      status: 'suspended',
      dns_status: 'PENDING',
      dns_last_error: null,
      dns_updated_at: null,
      created_at: 0,
      dns_made_for: null,
      deleted_at: null,
    },
  ],
  retired_slugs: [
    { slug: 'old-falcon-12', retired_at: time },
    { slug: '', retired_at: 0 },
  ],
  settings: [
    {
      id: 's1',
      project_id: 'p1',
      system_prompt: long,
      memory_window: 500,
      cors_origins: '["https://a.example"]',
      cors_allow_credentials: 1,
      rpm_limit: 10_000,
      tokens_per_day: Number.MAX_SAFE_INTEGER,
      pii_mode: 'enforce',
      pii_entities: '{"PERSON":"MASK"}',
      sentinel_mode: 'shadow',
      sentinel_blocklist: '["\u202e"]',
      memory_enabled: 1,
      retention_days: 365,
      store_tool_calls: 1,
      provider_model: 'openai/gpt-4o-mini',
      added_settings: '{"allowed":null}',
      draft_provider_model: 'mistral/small',
      draft_saved_at: time,
      deployed_at: time,
      created_at: time,
      updated_at: time,
    },
    {
      id: 's2',
      project_id: 'p2',
      system_prompt: null,
      memory_window: 0,
      cors_origins: '[]',
      cors_allow_credentials: 0,
      rpm_limit: 1,
      tokens_per_day: 1000,
      pii_mode: 'disabled',
      pii_entities: '{}',
      sentinel_mode: 'disabled',
      sentinel_blocklist: '[]',
      memory_enabled: 0,
      retention_days: null,
      store_tool_calls: 0,
      provider_model: null,
      added_settings: '{}',
      draft_provider_model: null,
      draft_saved_at: null,
      deployed_at: null,
      created_at: 0,
      updated_at: 0,
    },
  ],
  tiers: [
    { id: 'r1', project_id: 'p1', name: 'gold', sort_order: -3, overrides: '{}', created_at: 1, updated_at: 1 },
    { id: 'r2', project_id: 'p2', name: 'gold', sort_order: 0, overrides: '', created_at: 0, updated_at: 0 },
  ],
  deployments: [
    { project_id: 'p1', number: 1, snapshot: long, changes: '[]', deployed_at: time, deployed_by: 'u1' },
    { project_id: 'p1', number: 2, snapshot: '', changes: '', deployed_at: 0, deployed_by: '' },
  ],
  live_configs: [
    { project_id: 'p1', revision: 7, body: long, updated_at: time },
    { project_id: 'p2', revision: 0, body: '', updated_at: 0 },
  ],
  api_keys: [
    {
      id: 'k1',
      project_id: 'p1',
      name: 'default',
      role: 'user',
      digest: 'aa',
      hash: '$',
      created_at: time,
      revoked_at: time,
    },
    { id: 'k2', project_id: 'p1', name: '', role: 'admin', digest: '', hash: '', created_at: 0, revoked_at: null },
  ],
  provider_keys: [
    {
      id: 'v1',
      tenant_id: 't1',
      provider_type: 'openai',
      ciphertext: 'c',
      key_last4: '1234',
      base_url_override: 'https://a.example',
      key_set_at: time,
    },
    {
      id: 'v2',
      tenant_id: 't1',
      provider_type: 'google',
      ciphertext: '',
      key_last4: '',
      base_url_override: null,
      key_set_at: 0,
    },
  ],
  identity_providers: [
    {
      project_id: 'p1',
      revision: 3,
      issuer: 'https://idp.example',
      jwks_url: 'https://idp.example/keys',
      audience: 'a',
      user_id_claim: 'sub',
      tier_claim: 'plan',
      key_set: '{"keys":[]}',
      last_synced_at: time,
      last_error: 'none',
      created_at: time,
      updated_at: time,
    },
    {
      project_id: 'p2',
      revision: 0,
      issuer: '',
      jwks_url: '',
      audience: '',
      user_id_claim: '',
      tier_claim: null,
      key_set: null,
      last_synced_at: null,
      last_error: null,
      created_at: 0,
      updated_at: 0,
    },
  ],
  providers: [
    {
      id: 'o1',
      name: 'openai',
      slug: 'openai',
      display_name: 'OpenAI',
      is_active: 1,
      models_endpoint_url: 'https://a.example',
      models_endpoint_auth_type: 'bearer',
      auth_config_schema: '{}',
      supported_features: '{}',
      created_at: time,
      updated_at: time,
    },
    {
      id: 'o2',
      name: '',
      slug: '',
      display_name: '',
      is_active: 0,
      models_endpoint_url: null,
      models_endpoint_auth_type: null,
      auth_config_schema: null,
      supported_features: null,
      created_at: 0,
      updated_at: 0,
    },
  ],
  models: [
    {
      id: 'openai/gpt-4o-mini',
      provider_slug: 'openai',
      display_name: 'GPT',
      capabilities: '{}',
      context_window: 128_000,
      max_output_tokens: 16_384,
      supports_streaming: 1,
      supports_tool_use: 0,
      supports_vision: 1,
      prices: '{"input":0.15}',
      source: 'seed',
      updated_at: time,
    },
    {
      id: 'openai/x',
      provider_slug: 'openai',
      display_name: '',
      capabilities: '',
      context_window: null,
      max_output_tokens: null,
      supports_streaming: null,
      supports_tool_use: null,
      supports_vision: null,
      prices: '',
      source: '',
      updated_at: 0,
    },
  ],
  threads: [
    {
      project_id: 'p1',
      user_id: 'user',
      id: 'thread:1',
      title: 'Ümläut 😀',
      message_count: 2,
      retention_days: 30,
      created_at: time,
      updated_at: time,
    },
    {
      project_id: 'p2',
      user_id: '',
      id: '',
      title: '',
      message_count: 0,
      retention_days: null,
      created_at: 0,
      updated_at: 0,
    },
  ],
  thread_messages: [
    {
      project_id: 'p1',
      user_id: 'user',
      thread_id: 'thread:1',
      position: 1,
      id: 'm1',
      role: 'user',
      body: long,
      created_at: time,
    },
    { project_id: 'p2', user_id: '', thread_id: '', position: 0, id: '', role: '', body: '', created_at: 0 },
  ],
  usage_records: [
    {
      request_id: 'r1',
      tenant_id: 't1',
      project_id: 'p1',
      user_id: 'user',
      tier: 'gold',
      day: '2026-11-21',
      model: 'openai/gpt-4o-mini',
      provider: 'openai',
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
      cached_tokens: 1,
      reasoning_tokens: 1,
      cost_nanousd: Number.MAX_SAFE_INTEGER,
      is_estimated: 1,
      created_at: time,
    },
    {
      request_id: '',
      tenant_id: '',
      project_id: '',
      user_id: '',
      tier: null,
      day: '',
      model: '',
      provider: '',
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
      cached_tokens: 0,
      reasoning_tokens: 0,
      cost_nanousd: 0,
      is_estimated: 0,
      created_at: 0,
    },
  ],
  usage_days: [
    {
      project_id: 'p1',
      day: '2026-11-21',
      user_id: 'user',
      model: 'openai/gpt-4o-mini',
      requests: 1,
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
      cost_nanousd: 4,
    },
    {
      project_id: '',
      day: '',
      user_id: '',
      model: '',
      requests: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
      cost_nanousd: 0,
    },
  ],
  usage_tiers: [
    {
      project_id: 'p1',
      day: '2026-11-21',
      tier: 'gold',
      requests: 1,
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
      cost_nanousd: 4,
    },
    {
      project_id: '',
      day: '',
      tier: '',
      requests: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
      cost_nanousd: 0,
    },
  ],
  end_users: [
    { project_id: 'p1', user_id: 'zoë/ü', first_seen_at: time, last_seen_at: time },
    { project_id: '', user_id: '', first_seen_at: null, last_seen_at: null },
  ],
  end_user_restrictions: [
    { project_id: 'p1', user_id: 'zoë', blocked_at: time, block_reason: long, tokens_revoked_before: 1_790_000_000 },
    { project_id: '', user_id: '', blocked_at: null, block_reason: null, tokens_revoked_before: null },
  ],
  end_user_erasures: [
    { project_id: 'p1', user_id: 'zoë', requested_at: time },
    { project_id: '', user_id: '', requested_at: 0 },
  ],
  guardrail_events: [
    {
      tenant_id: 't1',
      id: '019ac8f4-6c00-7000-8000-000000000001',
      project_id: 'p1',
      type: 'pii_detection',
      direction: 'input',
      mode: 'enforce',
      action_taken: 'masked',
      entity_types: '["EMAIL_ADDRESS"]',
      entity_count: 2,
      pattern_family: 'ignore_previous',
      term_count: 1,
      request_id: 'r1',
      timestamp: '1790000000.123',
      happened_at: time,
      user_hash: '0f'.repeat(16),
      source: 'tool',
    },
    {
      tenant_id: '',
      id: '',
      project_id: '',
      type: '',
      direction: '',
      mode: '',
      action_taken: '',
      entity_types: null,
      entity_count: null,
      pattern_family: null,
      term_count: null,
      request_id: '',
      timestamp: '',
      happened_at: 0,
      user_hash: null,
      source: null,
    },
  ],
  guardrail_event_counts: [
    { tenant_id: 't1', held: 1, capped: Number.MAX_SAFE_INTEGER },
    { tenant_id: '', held: 0, capped: 0 },
  ],
  kill_switches: [
    { scope: 'tenant', target_id: 't1', enabled: 1, updated_at: time },
    { scope: 'global', target_id: '', enabled: 0, updated_at: 0 },
  ],
  revisions: [
    { name: 'kill-switches', revision: 9 },
    { name: '', revision: 0 },
  ],
  idempotency_keys: [
    {
      caller: 'u1',
      method: 'POST',
      path: '/auth/v1/tenants',
      key: 'k',
      request_digest: 'd',
      status: 201,
      body: '{}',
      is_secret: 1,
      created_at: time,
    },
    {
      caller: '',
      method: '',
      path: '',
      key: '',
      request_digest: '',
      status: null,
      body: null,
      is_secret: 0,
      created_at: 0,
    },
  ],
  signing_keys: [
    { kid: 'default', thumbprint: 'abc', created_at: time },
    { kid: '', thumbprint: '', created_at: 0 },
  ],
  dns_jobs: [
    {
      project_id: 'p1',
      revision: 2,
      tries: 3,
      first_tried_at: time,
      next_try_at: time,
      claim: 'c',
      claimed_until: time,
    },
    {
      project_id: 'p2',
      revision: 0,
      tries: 0,
      first_tried_at: null,
      next_try_at: 0,
      claim: null,
      claimed_until: 0,
    },
  ],
  leases: [
    { name: 'sync', holder: 'h', expires_at: time },
    { name: '', holder: '', expires_at: 0 },
  ],
}
