// The tables, in the portable subset of SQLite and PostgreSQL: text ids, JSON as text, integer epoch milliseconds, 0
// and 1 as booleans, no arrays. The migrations must agree with it; the contract suite checks that.

import type { EndpointName } from '../domain/conversation/operations.ts'
import type { AccountTables } from './account-tables.ts'
import type { BudgetTables } from './budgets/budget-tables.ts'
import type { ConversationTables } from './conversations/conversation-tables.ts'
import type { EndUserTables } from './end-users/end-user-tables.ts'
import type { GuardrailEventTables } from './guardrail-events/guardrail-event-tables.ts'
import type { LateIndexTables } from './late-index/late-index-tables.ts'
import type { MeterTables } from './meters/meter-tables.ts'
import type { RequestAlertTables } from './request-log/alert-tables.ts'
import type { RollupTables } from './rollups/rollup-tables.ts'
import type { SettingsTables } from './settings/settings-tables.ts'
import type { WebhookTables } from './webhooks/webhook-tables.ts'

type Flag = 0 | 1
type Millis = number
type Json = string

export interface Schema
  extends AccountTables,
    BudgetTables,
    ConversationTables,
    EndUserTables,
    GuardrailEventTables,
    LateIndexTables,
    MeterTables,
    RequestAlertTables,
    RollupTables,
    SettingsTables,
    WebhookTables {
  projects: {
    id: string
    tenant_id: string
    name: string
    slug: string
    status: 'active' | 'suspended'
    dns_status: 'PENDING' | 'READY' | 'FAILED'
    dns_last_error: string | null
    dns_updated_at: Millis | null
    created_at: Millis
    /** The target to which its names were last registered; null if unknown, or if this service does not manage them. */
    dns_made_for: string | null
    deleted_at: Millis | null // set while the worker still erases it
    /** What changes it in place of the dashboard; null if nothing does. */
    managed_by: 'file' | null
  }
  /** Slugs of deleted projects: none is used again. */
  retired_slugs: {
    slug: string
    retired_at: Millis
  }
  api_keys: {
    id: string
    project_id: string
    name: string
    role: string
    digest: string // SHA-256 of the plaintext, hex
    hash: string // Argon2id
    created_at: Millis
    revoked_at: Millis | null
    /** The last four characters of the plaintext. This and the creator's email are null in keys of older versions. */
    hint: string | null
    created_by: string | null
    /** Of the minute. */
    last_used_at: Millis | null
    expires_at: Millis | null
    /** The id of the key that a rotation made in its place. */
    replaced_by: string | null
  }
  /** What a project's attestations of anonymous users are checked by. */
  attestation_secrets: {
    project_id: string
    kind: string
    id: string
    ciphertext: string // the secret box's envelope
    set_at: Millis
  }
  provider_keys: {
    id: string
    tenant_id: string
    provider_type: string
    ciphertext: string // the secret box's envelope
    key_last4: string
    base_url_override: string | null
    key_set_at: Millis
    /** These are null for a provider whose configuration is a key alone. */
    display_name: string | null
    details: Json | null // what may be shown of the configuration
    models: Json | null // the tenant's own models; null: those of the registry
  }
  /** The provider catalog. */
  providers: {
    id: string
    name: string
    slug: string
    display_name: string
    is_active: Flag
    models_endpoint_url: string | null
    models_endpoint_auth_type: string | null
    auth_config_schema: Json | null
    supported_features: Json | null
    created_at: Millis
    updated_at: Millis
  }
  models: {
    id: string // provider/model
    provider_slug: string
    display_name: string
    capabilities: Json
    context_window: number | null
    max_output_tokens: number | null
    supports_streaming: Flag | null
    supports_tool_use: Flag | null
    supports_vision: Flag | null
    prices: Json // USD per million tokens, see `readPriceSchedule`
    source: string // seed or sync
    updated_at: Millis
  }
  /** What models cost a tenant in place of the registry's prices. */
  tenant_prices: {
    tenant_id: string
    model: string
    effective_at: Millis // 0 if the prices always apply
    prices: Json // as `DatedPrices`
    updated_at: Millis
  }
  identity_providers: {
    project_id: string
    revision: number
    issuer: string
    jwks_url: string
    audience: string
    user_id_claim: string
    tier_claim: string | null
    key_set: Json | null // the last valid one
    last_synced_at: Millis | null
    last_error: string | null
    created_at: Millis
    updated_at: Millis
  }
  kill_switches: {
    scope: 'global' | 'tenant' | 'project'
    target_id: string // '' for global
    enabled: Flag
    updated_at: Millis
  }
  /** Counters that must rise with every change of data that is not one row. */
  revisions: {
    name: string // e.g. kill-switches
    revision: number
  }
  idempotency_keys: {
    caller: string
    method: string
    path: string
    key: string
    request_digest: string
    status: number | null // null while the first request runs
    body: string | null
    is_secret: Flag // the response contained a plaintext key: never replayed
    created_at: Millis
  }
  /** The key of each kid, so that no kid is ever reused for another key. */
  signing_keys: {
    kid: string
    thumbprint: string
    created_at: Millis
  }
  /** The holder of each worker job's lease. */
  leases: {
    name: string
    holder: string
    expires_at: Millis
  }
  /** Projects whose host names do not match their status yet: registered while active, removed once suspended. */
  dns_jobs: {
    project_id: string
    revision: number // raised when the change is requested again
    tries: number
    first_tried_at: Millis | null
    next_try_at: Millis
    claim: string | null // the worker that runs it
    claimed_until: Millis
  }
  /** One row per answered request, for 35 days. */
  usage_records: {
    request_id: string
    tenant_id: string
    project_id: string
    user_id: string
    /** The tier in force; null if there was none, and for usage from before tiers were recorded. */
    tier: string | null
    day: string // YYYY-MM-DD, UTC
    model: string
    provider: string
    endpoint: EndpointName
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
    cached_tokens: number
    reasoning_tokens: number
    cost_nanousd: number
    is_estimated: Flag
    created_at: Millis
    budget_day: string | null // the day whose budgets it was charged to, if that is not `day`
    /** The day whose bounds of the operator it was charged to, and at what cost; null if there are none. */
    platform_day: string | null
    platform_nanousd: number | null
  }
}
