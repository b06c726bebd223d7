// What the screens of requests read.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import type { RequestFilter } from './filter.ts'

export const requestsQuery = (projectId: string, filter: RequestFilter) =>
  infiniteQueryOptions({
    queryKey: ['project', projectId, 'requests', filter],
    queryFn: ({ pageParam }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam }
      return request('GET', '/auth/v1/projects/{projectId}/requests', {
        path: { projectId },
        query: { ...filter, ...cursor },
      })
    },
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
    placeholderData: keepPreviousData,
  })

export const requestStatsQuery = (projectId: string, filter: RequestFilter) =>
  queryOptions({
    queryKey: ['project', projectId, 'request-stats', filter],
    queryFn: () =>
      request('GET', '/auth/v1/projects/{projectId}/requests/stats', {
        path: { projectId },
        query: { ...filter, by: 'hour' },
      }),
    // It reads many rows.
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  })

export const requestQuery = (projectId: string, requestId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'request', requestId],
    queryFn: () =>
      request('GET', '/auth/v1/projects/{projectId}/requests/{requestId}', { path: { projectId, requestId } }),
    // Each read of content leaves an entry in the audit.
    staleTime: Number.POSITIVE_INFINITY,
  })
