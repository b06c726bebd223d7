// What the playground reads beside its answers.
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import type { GuardrailEvent } from '../events/filter.ts'

interface Run {
  tenantId: string
  projectId: string
  requestId: string
  startedAt: number
}

const refreshMs = 2000
/** The worker stores events once a cycle, every 15 seconds by default. */
export const eventWaitMs = 40_000
/** The clocks of this computer and of the server may differ. */
const clockSkewMs = 600_000

/** In a busy project the events of a run are not among the newest 200. */
const maxPages = 5

async function listEvents(tenantId: string, query: { project_id: string; from: string; limit: number }) {
  const events: GuardrailEvent[] = []
  let cursor: string | null = null
  for (let page = 0; page < maxPages; page += 1) {
    const path = '/v1/tenants/{tenantId}/guardrails/events'
    const next: { data: GuardrailEvent[]; next_cursor: string | null } = await request('GET', path, {
      path: { tenantId },
      query: { ...query, ...(cursor === null ? {} : { cursor }) },
    })
    events.push(...next.data)
    cursor = next.next_cursor
    if (cursor === null) break
  }
  return events
}

/** The guardrail events of one run; asked for again until there are some or they are overdue. */
export const runEventsQuery = ({ tenantId, projectId, requestId, startedAt }: Run) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'run-events', requestId],
    queryFn: async (): Promise<GuardrailEvent[]> => {
      const from = new Date(startedAt - clockSkewMs).toISOString()
      const events = await listEvents(tenantId, { project_id: projectId, from, limit: 200 })
      return events.filter(event => event.request_id === requestId)
    },
    refetchInterval: ({ state }) =>
      (state.data?.length ?? 0) > 0 || Date.now() - startedAt > eventWaitMs ? false : refreshMs,
  })

interface TriedMessage {
  projectId: string
  use: 'draft' | 'deployed'
  role: 'user' | 'tool'
  text: string
}

/** What the guardrails of these settings find in a message. Nothing of it is stored. */
export const triedQuery = ({ projectId, use, role, text }: TriedMessage) =>
  queryOptions({
    queryKey: ['project', projectId, 'tried-message', use, role, text],
    queryFn: () =>
      request('POST', '/auth/v1/projects/{projectId}/guardrails/try', {
        path: { projectId },
        body: { text, role, use },
      }),
    staleTime: Number.POSITIVE_INFINITY,
    // The text goes with the column that shows it.
    gcTime: 0,
  })
