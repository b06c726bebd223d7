// Lists the requests of a project, and shows one with its timeline.

import { z } from 'zod'
import { getPage } from '../../domain/cursor.ts'
import { Refusal } from '../../domain/errors.ts'
import type { KeptContent } from '../../domain/requests/kept-content.ts'
import { isKept, keptSince } from '../../domain/requests/request-filter.ts'
import type { RequestRow } from '../../storage/request-log/filtered-rows.ts'
import { findRequest, listRequests } from '../../storage/request-log/list-requests.ts'
import { readTimeline } from '../../storage/request-log/timeline-text.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import type { Caller } from '../plane/caller.ts'
import { pageQuery } from '../plane/fields.ts'
import { type Route, route } from '../plane/route.ts'
import { checkRecent } from '../plane/step-up.ts'
import { getLive } from '../settings/live-configs.ts'
import { filterQuery, mayReadContent, readFilter, requestSchema, showRequest } from './request-query.ts'

const detail = z
  .object({ model: z.string(), error: z.string().nullable() })
  .nullable()
  .meta({ description: 'Of an attempt: the model, and why its provider did not answer' })
const stepSchema = z.object({
  name: z.enum(['body', 'admission', 'guardrails', 'attempt', 'first_token', 'end']),
  start_ms: z.int(),
  end_ms: z.int(),
  detail,
})

const partSchema = z.union([
  z.object({ type: z.string(), text: z.string() }),
  z.object({ type: z.string(), bytes: z.int() }),
])
const messageSchema = z.object({
  role: z.string(),
  content: z.array(partSchema),
  tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).optional(),
  tool_call_id: z.string().optional(),
})
const contentSchema = z
  .object({
    messages: z.array(messageSchema),
    left_out: z.int().meta({ description: 'Older messages that were too long to be kept' }),
    answer: messageSchema.nullable(),
  })
  .meta({
    description:
      'With `content:read`, where the project keeps content: the messages as the provider got them, and the answer before ' +
      'masked values were restored. Each view leaves an entry in the audit',
  })

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function requestRoutes(management: ManagementDependencies): Route[] {
  const { requestDays, requests } = management
  return [
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/requests',
      operation: 'listRequests',
      summary: 'List the requests of a project, newest first; a page may have fewer rows than asked for, and a cursor',
      credential: 'session',
      owner: 'project',
      permission: 'project:read',
      query: filterQuery.extend(pageQuery.shape),
      answers: { 200: z.object({ data: z.array(requestSchema), next_cursor: z.string().nullable() }) },
      async handle({ owned, query }) {
        const projectId = owned.project.id
        const page = getPage(query, { list: ['requests', projectId], key: ['string'] })
        const filter = await readFilter(management, projectId, query)
        await requests.flush()
        const { rows, next } = await listRequests(requestDays, filter, {
          after: page.after?.[0] ?? null,
          limit: page.limit,
        })
        const nextCursor = next === null ? null : page.cursorAfter([next])
        return { status: 200, body: { data: rows.map(row => showRequest(row, owned)), next_cursor: nextCursor } }
      },
    }),
    route({
      method: 'GET',
      path: '/auth/v1/projects/:projectId/requests/:requestId',
      operation: 'getRequest',
      audit: { action: 'content.read', target: 'requestId', reads: 'sometimes' },
      summary: 'Get one request with its timeline; times are milliseconds since its receipt',
      credential: 'session',
      owner: 'project',
      permission: 'project:read',
      answers: { 200: requestSchema.extend({ timeline: z.array(stepSchema), content: contentSchema.optional() }) },
      refusals: ['request_not_found', 'reauthenticate'],
      async handle({ caller, owned, params }) {
        const row = await getRow(management, owned.project.id, params['requestId'] ?? '')
        const shown = { ...showRequest(row, owned), timeline: showTimeline(row.timeline) }
        const content = mayReadContent(owned) ? await readContent(management, row, caller) : null
        return { status: 200, body: content === null ? shown : { ...shown, content } }
      },
    }),
  ]
}

type Management = ManagementDependencies

async function getRow({ sql, now, requestDays, requests }: Management, projectId: string, id: string) {
  await requests.flush()
  const row = uuid.test(id) ? await findRequest(requestDays, projectId, id) : null
  if (row === null || !isKept(row, keptSince(await getLive(sql, projectId), now()))) {
    throw new Refusal('request_not_found')
  }
  return row
}

/** Each view leaves an entry in the audit, and a line in the log. */
async function readContent(
  { sql, now, requestContent, log }: Management,
  row: RequestRow,
  caller: Caller,
): Promise<KeptContent | null> {
  const { project_id: projectId, id: requestId } = row
  if (!isKept(row, keptSince(await getLive(sql, projectId), now(), 'content_days'))) return null
  await requestContent.flush()
  const content = await requestContent.find({ projectId, requestId })
  if (content === null) return null
  checkRecent(caller, now())
  // Records that it was read.
  await transact(sql, async () => undefined)
  log.info('content of a request was read', { request_id: requestId, project_id: projectId })
  return content
}

function showTimeline(text: string | null) {
  return readTimeline(text).map(({ name, start, end, detail: found }) => ({
    name,
    start_ms: start,
    end_ms: end,
    detail: found,
  }))
}
