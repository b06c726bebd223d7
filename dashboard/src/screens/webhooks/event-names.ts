// The types of a tenant's events by their names for people, and the filter in the address of their list.
import type { ManagementRoutes } from '@sallyport/sdk'
import { type GivenSearch, readTexts } from '../../api/search-text.ts'
import { eventNames as guardrailEventNames } from '../events/filter.ts'

type WebhookBody = ManagementRoutes['POST /auth/v1/tenants/{tenantId}/webhooks']['input']['body']
/** Those that webhooks get. */
export type WebhookEventType = NonNullable<WebhookBody['types']>[number]
type ListedType = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/events']['output']['data'][number]['type']

const tenantEventNames: Record<Exclude<WebhookEventType, 'audit'>, string> = {
  project_created: 'Project created',
  project_suspended: 'Project suspended',
  project_reactivated: 'Project reactivated',
  project_deleted: 'Project deleted',
  settings_deployed: 'Settings deployed',
  api_key_created: 'API key created',
  api_key_rotated: 'API key rotated',
  api_key_revoked: 'API key revoked',
  price_set: 'Price set',
  price_deleted: 'Price deleted',
  budget_alert: 'Budget alert',
  request_alert: 'Request alert',
  member_joined: 'Member joined',
  member_removed: 'Member removed',
}

const webhookEventNames: Record<WebhookEventType, string> = { ...tenantEventNames, audit: 'Audit entry' }

export const webhookEventTypes = Object.keys(webhookEventNames) as WebhookEventType[]

const guardrailTypes = Object.entries(guardrailEventNames).map(([type, name]) => [type, `Guardrails: ${name}`] as const)
export const listedEventNames = { ...tenantEventNames, ...Object.fromEntries(guardrailTypes) } as Record<
  ListedType,
  string
>

/** The type itself if this page is older than the server. */
export function nameOfEvent(type: string): string {
  if (type === 'webhook_test') return 'Test'
  return { ...webhookEventNames, ...listedEventNames }[type] ?? type
}

const isListedType = (value: string): value is ListedType => Object.hasOwn(listedEventNames, value)

export interface TenantEventFilter {
  type?: ListedType
  cursor?: string
}

export function readTenantEventFilter(search: GivenSearch): TenantEventFilter {
  const { type = '', cursor } = readTexts(search, ['type', 'cursor'])
  return { ...(isListedType(type) && { type }), ...(cursor !== undefined && { cursor }) }
}
