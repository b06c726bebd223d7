// The tables of a project's settings, a part of schema.ts: what is drafted, what was deployed and what is live.

type Flag = 0 | 1
type Millis = number
type Json = string

export interface SettingsTables {
  /** The draft that the dashboard edits. One row per project. */
  settings: {
    id: string
    project_id: string
    system_prompt: string | null
    memory_window: number
    cors_origins: Json
    cors_allow_credentials: Flag
    rpm_limit: number
    tokens_per_day: number
    pii_mode: string
    pii_entities: Json
    sentinel_mode: string
    sentinel_blocklist: Json
    memory_enabled: Flag
    retention_days: number | null
    store_tool_calls: Flag
    provider_model: string | null // the deployed model
    added_settings: Json // fields that were added later, by name
    draft_provider_model: string | null
    draft_saved_at: Millis | null
    deployed_at: Millis | null
    created_at: Millis
    updated_at: Millis
  }
  tiers: {
    id: string
    project_id: string
    name: string
    sort_order: number
    overrides: Json
    created_at: Millis
    updated_at: Millis
  }
  prompts: {
    project_id: string
    name: string
    template: Json // without the name
    created_at: Millis
    updated_at: Millis
  }
  /** Immutable numbered snapshots. */
  deployments: {
    project_id: string
    number: number
    snapshot: Json
    changes: Json
    deployed_at: Millis
    deployed_by: string
    /** The number of the deployment that a rollback deployed again; null for a deploy of the draft. */
    rolled_back_to: number | null
  }
  /** The document that is pushed to the key-value store for the data plane, from the project's creation on. */
  live_configs: {
    project_id: string
    revision: number
    body: Json
    updated_at: Millis
  }
}
