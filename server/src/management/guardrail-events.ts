// The guardrail events of a tenant, newest first. Their rows come with the guardrails: until something can emit an
// event, every list is truly empty.

import { z } from 'zod'
import { getChecked } from '../domain/checked.ts'
import { parsePage } from '../domain/cursor.ts'
import { Refusal } from '../domain/errors.ts'
import { pageQuery } from './fields.ts'
import { type Route, route } from './route.ts'

const types = ['pii_block', 'pii_detection', 'sentinel_jailbreak', 'sentinel_blocklist'] as const

const eventSchema = z.object({
  id: z.string(),
  type: z.enum(types),
  tenant_id: z.string(),
  project_id: z.string(),
  direction: z.string(),
  mode: z.enum(['shadow', 'enforce']),
  action_taken: z.enum(['blocked', 'masked', 'redacted', 'detected']),
  entity_types: z.array(z.string()).optional(),
  entity_count: z.string().optional(),
  pattern_family: z.string().optional(),
  term_count: z.string().optional(),
  request_id: z.string(),
  timestamp: z.string(),
})

const querySchema = pageQuery.extend({
  project_id: z.string({ error: 'project_id must be a project ID' }).optional(),
  type: z.enum(types, { error: `type must be one of: ${types.join(', ')}` }).optional(),
  from: z.unknown().meta({ type: 'string', format: 'date-time' }).optional(),
  to: z.unknown().meta({ type: 'string', format: 'date-time' }).optional(),
})

export function guardrailEventRoutes(): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/tenants/:tenantId/guardrails/events',
      summary: 'Guardrail events, newest first',
      credential: 'session',
      owner: 'tenant',
      query: querySchema,
      answers: { 200: z.object({ data: z.array(eventSchema), next_cursor: z.string().nullable() }) },
      async handle({ query }) {
        getChecked(parsePage(query, ['number', 'string']))
        parseTime(query.from, 'from')
        parseTime(query.to, 'to')
        return { status: 200, body: { data: [], next_cursor: null } }
      },
    }),
  ]
}

/** Epoch milliseconds of an ISO 8601 time; null where none was given. */
function parseTime(value: unknown, field: string): number | null {
  if (value === undefined) return null
  const millis = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value) ? Date.parse(value) : Number.NaN
  if (!Number.isNaN(millis)) return millis
  throw new Refusal('validation_failed', { message: `${field} must be an ISO 8601 time` })
}
