// What the screens of guardrail events read.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import type { OneProject } from '../../api/queries.ts'
import type { Days, EventFilter } from './filter.ts'

const eventsPath = '/v1/tenants/{tenantId}/guardrails/events'

export const eventsQuery = ({ id, tenant_id: tenantId }: OneProject, filter: EventFilter) =>
  infiniteQueryOptions({
    queryKey: ['project', id, 'guardrail-events', filter],
    queryFn: ({ pageParam }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam }
      return request('GET', eventsPath, { path: { tenantId }, query: { ...filter, project_id: id, ...cursor } })
    },
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
    placeholderData: keepPreviousData,
  })

export const reportQuery = (projectId: string, days: Days) =>
  queryOptions({
    queryKey: ['project', projectId, 'guardrail-report', days],
    queryFn: () =>
      request('GET', '/auth/v1/projects/{projectId}/guardrails/report', { path: { projectId }, query: days }),
    // A report reads all events of its days.
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  })
