// What the usage screen reads.
import type { ManagementRoutes } from '@sallyport/sdk'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Period } from '../../api/days.ts'
import { request } from '../../api/management.ts'
import type { UsageGrouping } from './usage-search.ts'

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

/** The usage of one day, model, end user, endpoint or tier; `group` is null for end users without a tier. */
export interface UsageGroup extends UsageTotals {
  group: string | null
}

export const usageGroupsQuery = (projectId: string, filter: UsageFilter, grouping: UsageGrouping) =>
  infiniteQueryOptions({
    queryKey: keyOf(projectId, grouping, filter),
    queryFn: async ({ pageParam }): Promise<{ data: UsageGroup[]; next_cursor: string | null }> => {
      const path = { projectId }
      const page = { limit: rowsPerPage, ...(pageParam === '' ? {} : { cursor: pageParam }) }
      if (grouping === 'tier') {
        const query = { from: filter.from, to: filter.to, ...page }
        const { data, next_cursor } = await request('GET', `${route}/tiers`, { path, query })
        return { data: data.map(({ tier, ...sums }) => ({ group: tier, ...sums })), next_cursor }
      }
      const query = { ...filter, group_by: grouping, ...page }
      const { data, next_cursor } = await request('GET', route, { path, query })
      return { data: data.map(row => ({ ...row, group: row[grouping] })), next_cursor }
    },
    initialPageParam: '',
    getNextPageParam: last => last.next_cursor,
    // Rows of another grouping do not fit into the columns.
    placeholderData: (previous, query) => (query?.queryKey.at(-2) === grouping ? previous : undefined),
  })

/** Which requests usage counts, beside a number of them. The request log counts others, too. */
export const answeredNote = 'answered ones, with the playground’s'
