// The settings of a project as they go live: fields, their types and defaults. Rules for values are in settings-rules.ts.

export const entityTypes = [
  'EMAIL_ADDRESS',
  'PHONE_NUMBER',
  'PERSON',
  'US_SSN',
  'LOCATION',
  'DATE_TIME',
  'CREDIT_CARD',
  'US_BANK_NUMBER',
  'IBAN_CODE',
  'IP_ADDRESS',
] as const
export type EntityType = (typeof entityTypes)[number]

export const entityActions = ['MASK', 'REDACT', 'BLOCK'] as const
export type EntityAction = (typeof entityActions)[number]

export const guardrailModes = ['disabled', 'shadow', 'enforce'] as const
export type GuardrailMode = (typeof guardrailModes)[number]

export type PiiEntities = Partial<Record<EntityType, EntityAction>>

export interface Settings {
  system_prompt: string | null
  memory_window: number
  cors_origins: string[]
  cors_allow_credentials: boolean
  rpm_limit: number
  tokens_per_day: number
  pii_mode: GuardrailMode
  pii_entities: PiiEntities
  sentinel_mode: GuardrailMode
  sentinel_blocklist: string[]
  memory_enabled: boolean
  retention_days: number | null
  store_tool_calls: boolean
  provider_model: string | null
}

export type SettingsField = keyof Settings

/** In the order of the contract's table, in which checks run and changes are listed. */
export const settingsFields = [
  'system_prompt',
  'memory_window',
  'cors_origins',
  'cors_allow_credentials',
  'rpm_limit',
  'tokens_per_day',
  'pii_mode',
  'pii_entities',
  'sentinel_mode',
  'sentinel_blocklist',
  'memory_enabled',
  'retention_days',
  'store_tool_calls',
  'provider_model',
] as const satisfies readonly SettingsField[]

/** The origin must already be in its normal form: browsers' Origin headers are compared with it letter by letter. */
export function defaultSettings(dashboardOrigin: string): Settings {
  return {
    system_prompt: null,
    memory_window: 50,
    cors_origins: [dashboardOrigin],
    cors_allow_credentials: false,
    rpm_limit: 60,
    tokens_per_day: 1_000_000,
    pii_mode: 'disabled',
    pii_entities: {},
    sentinel_mode: 'disabled',
    sentinel_blocklist: [],
    memory_enabled: true,
    retention_days: null,
    store_tool_calls: false,
    provider_model: null,
  }
}
