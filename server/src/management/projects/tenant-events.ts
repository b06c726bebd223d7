// Lists the events of a tenant, newest first: those of its account and projects, and those of the guardrails, which
// guardrail-events.ts lists with more filters. Ids of both begin with their time, so one order holds for all.

import { z } from 'zod'
import { getPage } from '../../domain/cursor.ts'
import { guardrailEventTypes } from '../../domain/guardrails/guardrails.ts'
import { tenantEventTypes } from '../../domain/webhooks/tenant-events.ts'
import { listGuardrailEvents } from '../../storage/guardrail-events/guardrail-event-rows.ts'
import { listTenantEvents, type TenantEventRow } from '../../storage/webhooks/tenant-events.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { pageQuery } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { showEvent as showGuardrailEvent } from './guardrail-events.ts'

const types = [...tenantEventTypes, ...guardrailEventTypes] as const
type AnyType = (typeof types)[number]

const eventSchema = z.object({
  id: z.string(),
  type: z.enum(types),
  project_id: z.string().nullable(),
  data: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
  created_at: z.string(),
  api_key: z
    .object({ name: z.string(), hint: z.string().nullable() })
    .nullable()
    .meta({ description: 'The API key whose event it is, with its last four characters; null for other events' }),
})
type ShownEvent = z.output<typeof eventSchema>

const querySchema = pageQuery.extend({
  type: z.enum(types, { error: `type must be one of: ${types.join(', ')}` }).optional(),
})

export function tenantEventRoutes({ sql }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/auth/v1/tenants/:tenantId/events',
      operation: 'listTenantEvents',
      summary: 'List the events of a tenant in the last 30 days, newest first, those of the guardrails included',
      credential: 'session',
      owner: 'tenant',
      permission: 'project:read',
      query: querySchema,
      answers: { 200: z.object({ data: z.array(eventSchema), next_cursor: z.string().nullable() }) },
      async handle({ owned, query }) {
        const page = getPage(query, { list: ['tenant-events', owned.tenant.id], key: ['string'] })
        const found = await readEvents(sql, owned.tenant.id, query.type ?? null, {
          after: page.after?.[0] ?? null,
          limit: page.limit + 1,
        })
        const data = found.slice(0, page.limit)
        const last = data.at(-1)
        const nextCursor = found.length > page.limit && last !== undefined ? page.cursorAfter([last.id]) : null
        return { status: 200, body: { data, next_cursor: nextCursor } }
      },
    }),
  ]
}

/** The first of both lists together: a page of each holds the page of their union. */
async function readEvents(
  sql: ManagementDependencies['sql'],
  tenantId: string,
  type: AnyType | null,
  page: { after: string | null; limit: number },
): Promise<ShownEvent[]> {
  const guardrailType = guardrailEventTypes.find(known => known === type) ?? null
  const own = guardrailType === null ? await listTenantEvents(sql, { tenantId, type }, page) : []
  const filter = { tenantId, projectId: null, type: guardrailType, from: null, to: null }
  const ofGuardrails = type === null || guardrailType !== null ? await listGuardrailEvents(sql, filter, page) : []
  const shown = [...own.map(showOwn), ...ofGuardrails.map(showOfGuardrail)]
  const newest = shown.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit)
  return await addKeys(sql, newest)
}

/** Events have no names, since they are sent to other services: who lists them reads the name of the key. */
async function addKeys(sql: ManagementDependencies['sql'], events: ShownEvent[]): Promise<ShownEvent[]> {
  const ids = events.flatMap(({ data }) => data['api_key_id'] ?? []).map(String)
  if (ids.length === 0) return events
  const keys = await sql.selectFrom('api_keys').select(['id', 'name', 'hint']).where('id', 'in', ids).execute()
  const known = new Map(keys.map(({ id, ...key }) => [id, key]))
  return events.map(event => ({ ...event, api_key: known.get(String(event.data['api_key_id'])) ?? null }))
}

function showOwn({ id, type, project_id, data, created_at }: TenantEventRow): ShownEvent {
  const shown = { id, type: type as AnyType, project_id, data: JSON.parse(data), created_at: isoTime(created_at) }
  return { ...shown, api_key: null }
}

function showOfGuardrail(row: Awaited<ReturnType<typeof listGuardrailEvents>>[number]): ShownEvent {
  const { id, type, project_id, tenant_id, timestamp, ...data } = showGuardrailEvent(row)
  return { id, type: type as AnyType, project_id, data, created_at: isoTime(row.happened_at), api_key: null }
}
