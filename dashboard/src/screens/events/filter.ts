// The filters in the address of a screen. Values that the API would reject are left out.
import type { ManagementRoutes } from '@sallyport/sdk'

export type GuardrailEvent = ManagementRoutes['GET /v1/tenants/{tenantId}/guardrails/events']['output']['data'][number]

/** Days in UTC, inclusive; without them, the last 30. */
export interface Days {
  from?: string
  to?: string
}

export interface EventFilter extends Days {
  type?: GuardrailEvent['type']
}

export const eventNames: Record<GuardrailEvent['type'], string> = {
  pii_detection: 'Personal data',
  pii_block: 'Personal data to block',
  sentinel_jailbreak: 'Attack',
  sentinel_blocklist: 'Term of the blocklist',
}

const isEventType = (value: unknown): value is GuardrailEvent['type'] =>
  typeof value === 'string' && Object.hasOwn(eventNames, value)

export function readEventFilter({ type, ...days }: Record<string, unknown>): EventFilter {
  return { ...readDays(days), ...(isEventType(type) ? { type } : {}) }
}

export function readDays({ from, to }: Record<string, unknown>): Days {
  return { ...(isDay(from) ? { from } : {}), ...(isDay(to) ? { to } : {}) }
}

/** Not the years that a field has while 2026 is typed into it. `Date` reads February 30 as a day of March. */
function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^2\d{3}-\d\d-\d\d$/.test(value)) return false
  const time = Date.parse(value)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}
