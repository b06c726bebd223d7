// Lists the guardrail events of a tenant, newest first: those that the worker has written to the database.

import { z } from 'zod'
import { getPage } from '../../domain/cursor.ts'
import { dayMs } from '../../domain/day.ts'
import { Refusal } from '../../domain/errors.ts'
import { guardrailActions, guardrailEventModes, textSources } from '../../domain/guardrails/guardrail-event.ts'
import { guardrailDirections, guardrailEventTypes, guardrails } from '../../domain/guardrails/guardrails.ts'
import { type GuardrailEventRow, listGuardrailEvents } from '../../storage/guardrail-events/guardrail-event-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { pageQuery } from '../plane/fields.ts'
import { readIsoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'

const eventSchema = z.object({
  id: z.string(),
  type: z.enum(guardrailEventTypes),
  tenant_id: z.string(),
  project_id: z.string(),
  direction: z
    .enum(guardrailDirections)
    .meta({ description: '`input`: found in the request, `output`: in its answer' }),
  mode: z.enum(guardrailEventModes),
  action_taken: z.enum(guardrailActions),
  entity_types: z.array(z.string()).optional(),
  entity_count: z.string().optional(),
  pattern_family: z.string().optional(),
  term_count: z.string().optional(),
  score: z.string().optional().meta({
    description: 'Of jailbreaks: how suspicious Sentinel finds the text, from 0.000 to 1.000; absent in older events',
  }),
  source: z.enum(textSources).meta({ description: 'Of events of Sentinel: where the text came from' }).optional(),
  variable: z
    .string()
    .meta({ description: 'Of events of Sentinel: the variable of a prompt that the text was given for' })
    .optional(),
  request_id: z.string().meta({ description: 'The request in the request log' }),
  uid: z
    .string()
    .optional()
    .meta({ description: 'The end user; absent for the playground, for erased users and in older events' }),
  timestamp: z.string(),
})

const boundary = (description: string) =>
  z.unknown().meta({ type: 'string', format: 'date-time', description }).optional()

const querySchema = pageQuery.extend({
  project_id: z
    .string({ error: 'project_id must be a project ID' })
    .meta({ description: 'Id of a project of this tenant; for any other project the list is empty' })
    .optional(),
  type: z.enum(guardrailEventTypes, { error: `type must be one of: ${guardrailEventTypes.join(', ')}` }).optional(),
  from: boundary('Start of the period, inclusive; UTC if it has no time zone'),
  to: boundary('End of the period, inclusive, a date until its end; UTC if it has no time zone'),
})

export function guardrailEventRoutes({ sql }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/tenants/:tenantId/guardrails/events',
      operation: 'listGuardrailEvents',
      summary: 'List the guardrail events of the last 30 days, newest first',
      credential: 'session',
      owner: 'tenant',
      permission: 'guardrails:read',
      query: querySchema,
      answers: { 200: z.object({ data: z.array(eventSchema), next_cursor: z.string().nullable() }) },
      async handle({ owned, query }) {
        const tenantId = owned.tenant.id
        const { limit, after, cursorAfter } = getPage(query, { list: ['guardrail-events', tenantId], key: ['string'] })
        const filter = {
          tenantId,
          projectId: query.project_id?.toLowerCase() ?? null,
          type: query.type ?? null,
          from: parseTime(query.from, 'from'),
          to: parseTime(query.to, 'to'),
        }
        const rows = await listGuardrailEvents(sql, filter, { after: after?.[0] ?? null, limit: limit + 1 })
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const nextCursor = rows.length > limit && last !== undefined ? cursorAfter([last.id]) : null
        return { status: 200, body: { data: page.map(showEvent), next_cursor: nextCursor } }
      },
    }),
  ]
}

const typesOfSentinel: readonly string[] = guardrails.sentinel.events

export function showEvent(row: GuardrailEventRow) {
  const { happened_at, uid, user_hash, entity_types, entity_count, pattern_family, term_count, ...others } = row
  const { score, source, variable, ...shown } = others
  return {
    ...shown,
    ...(uid === null ? {} : { uid }),
    ...(entity_types === null ? {} : { entity_types: JSON.parse(entity_types) as string[] }),
    ...(entity_count === null ? {} : { entity_count: String(entity_count) }),
    ...(pattern_family === null ? {} : { pattern_family }),
    ...(term_count === null ? {} : { term_count: String(term_count) }),
    ...(variable === null ? {} : { variable }),
    ...(score === null ? {} : { score }),
    // Sentinel's events from before the column are of texts of users.
    ...(typesOfSentinel.includes(row.type) ? { source: source ?? 'user' } : {}),
  }
}

/** Epoch milliseconds of an ISO 8601 time; a date as `to` means the end of that day. Null if the value is missing. */
function parseTime(value: unknown, field: 'from' | 'to'): number | null {
  if (value === undefined) return null
  const time = readIsoTime(value)
  if (time === null) throw new Refusal('validation_failed', { message: `${field} must be an ISO 8601 time` })
  return field === 'to' && time.isDate ? time.millis + dayMs - 1 : time.millis
}
