// The events of a tenant: the one table from a type to the fields of its data. Types, payloads of webhooks and the
// OpenAPI document derive from it. Data must not hold a prompt, a name that people chose, or a personal value.

type FieldKind = 'string' | 'integer' | 'number'

interface EventRow {
  /** When it happens, as a sentence of the OpenAPI document. */
  description: string
  data: Record<string, FieldKind>
}

export const tenantEvents = {
  project_created: { description: 'A project was created', data: { slug: 'string' } },
  project_suspended: {
    description: 'A project was suspended, and its API keys were revoked',
    data: { slug: 'string' },
  },
  project_reactivated: { description: 'A suspended project was reactivated', data: { slug: 'string' } },
  // An event of the tenant: those of the project are erased with it.
  project_deleted: { description: 'A project was deleted', data: { project_id: 'string', slug: 'string' } },
  settings_deployed: {
    description: 'A draft was deployed, or an old deployment rolled back to',
    data: { deployment: 'integer' },
  },
  api_key_created: {
    description: 'An API key of a project was created',
    data: { api_key_id: 'string', role: 'string' },
  },
  api_key_rotated: {
    description: 'An API key was replaced by a new one',
    data: { api_key_id: 'string', replaced_api_key_id: 'string', role: 'string' },
  },
  api_key_revoked: {
    description: 'An API key was revoked, unless its project was suspended',
    data: { api_key_id: 'string', role: 'string' },
  },
  price_set: {
    description: 'What a model costs the tenant was set, in USD per million tokens',
    data: { model: 'string', input: 'number', output: 'number' },
  },
  price_deleted: { description: 'Prices that the tenant had set for a model were deleted', data: { model: 'string' } },
  budget_alert: {
    description: 'A budget has reached a threshold: 50, 80 or 100 percent, each once in a period',
    data: { level: 'string', threshold: 'integer', usd: 'number', period: 'string' },
  },
  request_alert: {
    description: 'An alert on the requests of a project has begun or ended',
    data: { state: 'string', on: 'string', over: 'number', value: 'number', window_minutes: 'integer' },
  },
  member_joined: { description: 'A user joined the tenant', data: { user_id: 'string', role: 'string' } },
  member_removed: { description: 'A member was removed or left', data: { user_id: 'string' } },
} as const satisfies Record<string, EventRow>

export type TenantEventType = keyof typeof tenantEvents
export const tenantEventTypes = Object.keys(tenantEvents) as TenantEventType[]

type ValueOf<Kind extends FieldKind> = Kind extends 'string' ? string : number
type DataOf<Fields extends Record<string, FieldKind>> = { [Field in keyof Fields]: ValueOf<Fields[Field]> }

/** A type together with its own data. */
export type TenantEventBody = {
  [Type in TenantEventType]: { type: Type; data: DataOf<(typeof tenantEvents)[Type]['data']> }
}[TenantEventType]

/** An entry of the tenant's audit. It is no event of the tenant, and only webhooks that name it get it. */
export const auditEventType = 'audit'
export const auditEventDescription =
  'An entry was added to the audit, without names and values; only for webhooks whose types name it'

export const webhookTypes = [...tenantEventTypes, auditEventType] as const
export type WebhookType = (typeof webhookTypes)[number]

/** Sent only when a member asks for it, to one webhook; it is no event of the tenant. */
export const testEventType = 'webhook_test'

/** How long events of tenants and deliveries of webhooks are kept. */
export const daysOfTenantEvents = 30
