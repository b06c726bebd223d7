// What the playground reads beside its answers.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'

export type GuardrailEvent = ManagementRoutes['GET /v1/tenants/{tenantId}/guardrails/events']['output']['data'][number]

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

/** The guardrail events of one run; asked for again until there are some or they are overdue. */
export const runEventsQuery = ({ tenantId, projectId, requestId, startedAt }: Run) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'run-events', requestId],
    queryFn: async (): Promise<GuardrailEvent[]> => {
      const from = new Date(startedAt - clockSkewMs).toISOString()
      const query = { project_id: projectId, from, limit: 200 }
      const { data } = await request('GET', '/v1/tenants/{tenantId}/guardrails/events', { path: { tenantId }, query })
      return data.filter(event => event.request_id === requestId)
    },
    refetchInterval: ({ state }) =>
      (state.data?.length ?? 0) > 0 || Date.now() - startedAt > eventWaitMs ? false : refreshMs,
  })
