// What the usage screen reads.
import type { ManagementRoutes } from '@sallyport/sdk'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import type { Period, UsageGrouping } from './usage-search.ts'

type Usage = ManagementRoutes['GET /auth/v1/projects/{projectId}/usage']['output']
export type UsageRow = Usage['data'][number]
export type UsageTotals = Usage['totals']

export interface UsageFilter extends Period {
  uid?: string
}

/** The most rows that the API returns at once. */
export const maxDays = 200
const rowsPerPage = 50

const route = '/auth/v1/projects/{projectId}/usage'
const keyOf = (projectId: string, ...rest: unknown[]) => ['project', projectId, 'usage', ...rest]

/** One row for each day with requests, newest first, and the totals of the period. */
export const usageDaysQuery = (projectId: string, filter: UsageFilter) =>
  queryOptions({
    queryKey: keyOf(projectId, 'days', filter),
    queryFn: () => {
      const query = { ...filter, group_by: 'day' as const, limit: maxDays }
      return request('GET', route, { path: { projectId }, query })
    },
    placeholderData: keepPreviousData,
  })

export const usageRowsQuery = (projectId: string, filter: UsageFilter, grouping: UsageGrouping) =>
  infiniteQueryOptions({
    queryKey: keyOf(projectId, grouping, filter),
    queryFn: ({ pageParam }) => {
      const cursor = pageParam === '' ? {} : { cursor: pageParam }
      const query = { ...filter, group_by: grouping, limit: rowsPerPage, ...cursor }
      return request('GET', route, { path: { projectId }, query })
    },
    initialPageParam: '',
    getNextPageParam: last => last.next_cursor,
    placeholderData: keepPreviousData,
  })
