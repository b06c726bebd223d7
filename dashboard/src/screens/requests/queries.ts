// What the screens of requests read.
import type { ManagementRoutes } from '@sallyport/sdk'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { lastDay, unitOf } from '../../ui/charts/periods.ts'
import type { RequestFilter } from './filter.ts'
import type { Dimension, Order } from './search.ts'

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

export type RequestBucket =
  ManagementRoutes['GET /auth/v1/projects/{projectId}/requests/stats']['output']['data'][number]

/** Of the last day, if the filters name none. */
const withDay = (filter: RequestFilter) => ({
  ...(filter.to === undefined && { from: lastDay(Date.now()) }),
  ...filter,
})

export const requestStatsQuery = (projectId: string, filter: RequestFilter) =>
  queryOptions({
    queryKey: ['project', projectId, 'request-stats', filter],
    queryFn: () =>
      request('GET', '/auth/v1/projects/{projectId}/requests/stats', {
        path: { projectId },
        query: { ...withDay(filter), by: unitOf(filter) },
      }),
    // It reads many rows.
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  })

interface Groups {
  by: Dimension
  order: Order
}

export type RequestGroups = ManagementRoutes['GET /auth/v1/projects/{projectId}/requests/groups']['output']

export const requestGroupsQuery = (projectId: string, filter: RequestFilter, groups: Groups) =>
  queryOptions({
    queryKey: ['project', projectId, 'request-groups', filter, groups],
    queryFn: () =>
      request('GET', '/auth/v1/projects/{projectId}/requests/groups', {
        path: { projectId },
        query: { ...withDay(filter), ...groups },
      }),
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  })

/** What the cost of groups of models is made of. */
export const modelsOf = (groups: RequestGroups | undefined) =>
  (groups?.data ?? []).map(({ value, tokens }) => ({ model: value, tokens: tokens.prompt + tokens.completion }))

export const requestQuery = (projectId: string, requestId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'request', requestId],
    queryFn: () =>
      request('GET', '/auth/v1/projects/{projectId}/requests/{requestId}', { path: { projectId, requestId } }),
    // Each read of content leaves an entry in the audit.
    staleTime: Number.POSITIVE_INFINITY,
  })
