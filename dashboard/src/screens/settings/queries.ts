// What the screens of settings and deployments read. All keys begin with that of the settings draft, so that one
// call refreshes them together. Another browser may change all of it, so it is read again all the time.
import type { ManagementRoutes } from '@sallyport/sdk'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { liveMs, settingsQuery } from '../../api/queries.ts'

export const liveSettingsQuery = (projectId: string) =>
  queryOptions({ ...settingsQuery(projectId), refetchInterval: liveMs })

export type SettingChange = ManagementRoutes['GET /auth/v1/projects/{projectId}/settings/changes']['output'][number]

/** What a deploy of the draft would change. */
export const draftChangesQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...settingsQuery(projectId).queryKey, 'changes'],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}/settings/changes', { path: { projectId } }),
    refetchInterval: liveMs,
  })

export type SettingsWarnings = ManagementRoutes['GET /auth/v1/projects/{projectId}/settings/warnings']['output']
export type SettingsWarning = SettingsWarnings['draft'][number]

/** What will not work in the draft, and what does not work in what is live. Prices and other budgets decide, too. */
export const warningsQuery = (projectId: string) =>
  queryOptions({
    queryKey: [...settingsQuery(projectId).queryKey, 'warnings'],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}/settings/warnings', { path: { projectId } }),
    refetchInterval: 10_000,
  })

/** What a rollback to the deployment would change. */
export const rollbackChangesQuery = (projectId: string, deployment: number) =>
  queryOptions({
    queryKey: [...settingsQuery(projectId).queryKey, 'rollback', deployment],
    queryFn: () =>
      request('GET', '/auth/v1/projects/{projectId}/settings/changes', {
        path: { projectId },
        query: { deployment: String(deployment) },
      }),
  })

type DeploymentPage = ManagementRoutes['GET /auth/v1/projects/{projectId}/settings/deployments']['output']
export type Deployment = DeploymentPage['data'][number]

export const deploymentsQuery = (projectId: string) =>
  infiniteQueryOptions({
    queryKey: [...settingsQuery(projectId).queryKey, 'deployments'],
    queryFn: ({ pageParam }): Promise<DeploymentPage> =>
      request('GET', '/auth/v1/projects/{projectId}/settings/deployments', {
        path: { projectId },
        query: { limit: 20, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
    refetchInterval: liveMs,
  })
