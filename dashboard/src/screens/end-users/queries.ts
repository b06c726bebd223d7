// What the screens of end users read.
import type { ManagementRoutes } from '@sallyport/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { lastDays } from '../../api/days.ts'
import { request } from '../../api/management.ts'
import type { ListSearch } from '../../ui/searched-list.tsx'

export type EndUser = ManagementRoutes['GET /auth/v1/projects/{projectId}/users/{uid}']['output']

/** Today's usage grows while somebody watches; an erased user leaves the list within seconds. */
const refetchMs = 5000
const usageDays = 30

export const allEndUsersKey = (projectId: string) => ['project', projectId, 'end-users']

export const endUsersQuery = (projectId: string, search: ListSearch) =>
  queryOptions({
    queryKey: [...allEndUsersKey(projectId), 'list', search],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}/users', { path: { projectId }, query: { ...search } }),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  })

export const endUserQuery = (projectId: string, uid: string) =>
  queryOptions({
    queryKey: [...allEndUsersKey(projectId), 'one', uid],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}/users/{uid}', { path: { projectId, uid } }),
    refetchInterval: refetchMs,
  })

/** The usage of the last 30 days (UTC), newest first. */
export const endUserUsageQuery = (projectId: string, uid: string) =>
  queryOptions({
    queryKey: [...allEndUsersKey(projectId), 'usage', uid],
    queryFn: () => {
      const { from } = lastDays(usageDays)
      const query = { uid, from, group_by: 'day', limit: usageDays } as const
      return request('GET', '/auth/v1/projects/{projectId}/usage', { path: { projectId }, query })
    },
  })
