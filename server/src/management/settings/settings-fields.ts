// How the settings' fields are described to readers of the OpenAPI document. What is accepted, the domain's rules
// decide; a test holds the two against each other.

import { entityActions, entityTypes, guardrailModes, type SettingsField } from '../../domain/settings/settings.ts'

type JsonSchema = Record<string, unknown>

const mode = { type: 'string', enum: [...guardrailModes] }

const descriptions: Record<SettingsField, JsonSchema> = {
  system_prompt: { type: ['string', 'null'], maxLength: 32_000 },
  memory_window: { type: 'integer', minimum: 0, maximum: 500 },
  cors_origins: {
    type: 'array',
    maxItems: 100,
    items: { type: 'string', description: 'scheme://host without a path or trailing slash, or only *' },
  },
  cors_allow_credentials: { type: 'boolean', description: 'Cannot be combined with the origin *' },
  rpm_limit: { type: 'integer', minimum: 1, maximum: 10_000 },
  tokens_per_day: { type: 'integer', minimum: 1000 },
  pii_mode: mode,
  pii_entities: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(entityTypes.map(type => [type, { type: 'string', enum: [...entityActions] }])),
  },
  sentinel_mode: mode,
  sentinel_blocklist: { type: 'array', maxItems: 200, items: { type: 'string', minLength: 1, maxLength: 256 } },
  memory_enabled: { type: 'boolean' },
  retention_days: { type: ['integer', 'null'], minimum: 1, maximum: 365 },
  store_tool_calls: { type: 'boolean' },
  provider_model: { type: ['string', 'null'], description: 'A known model ID' },
}

export function describedFields(fields?: readonly SettingsField[]): Record<string, JsonSchema> {
  if (fields === undefined) return descriptions
  return Object.fromEntries(fields.map(field => [field, descriptions[field]]))
}
