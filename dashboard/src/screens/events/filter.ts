// The filters in the address of a screen. Values that the API would reject are left out.
import type { ManagementRoutes } from '@sallyport/sdk'
import { readDay } from '../../api/days.ts'
import type { GivenSearch } from '../../api/search-text.ts'

export type GuardrailEvent = ManagementRoutes['GET /v1/tenants/{tenantId}/guardrails/events']['output']['data'][number]

/** What the screens of events show without chosen days. */
export const defaultDays = 30

/** Days in UTC, inclusive. */
export interface Days {
  from?: string
  to?: string
}

export interface EventFilter extends Days {
  type?: GuardrailEvent['type']
}

export const eventNames: Record<GuardrailEvent['type'], string> = {
  pii_detection: 'Personal data',
  pii_block: 'Blocked personal data',
  sentinel_jailbreak: 'Attack',
  sentinel_blocklist: 'Blocklist term',
}

const isEventType = (value: unknown): value is GuardrailEvent['type'] =>
  typeof value === 'string' && Object.hasOwn(eventNames, value)

export function readEventFilter({ type, ...days }: GivenSearch): EventFilter {
  return { ...readDays(days), ...(isEventType(type) ? { type } : {}) }
}

export function readDays(search: GivenSearch): Days {
  const [from, to] = [readDay(search['from']), readDay(search['to'])]
  return { ...(from && { from }), ...(to && { to }) }
}
