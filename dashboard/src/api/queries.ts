// What the screens read: one entry for each resource, with the key under which React Query keeps it. Keys begin with
// the tenant or the project, so that one call refreshes all that belongs to it.

import type { ManagementRoutes } from '@sallyport/sdk'
import { QueryClient, queryOptions } from '@tanstack/react-query'
import { isUnauthorized, request, requestWithoutSession } from './management.ts'

/** How often a screen reads what another browser may change: a deploy elsewhere shows within two seconds. */
export const liveMs = 1500

/**
 * The SDK repeats what may be repeated. Without `always`, a computer that is offline would wait instead of reading,
 * even from an installation of its own.
 */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 1000, networkMode: 'always' } },
})

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  /**
   * Null if nobody is signed in. A session that ends later does not take the page away: the user is asked to sign in.
   */
  queryFn: async ({ client }): Promise<SignedInUser | null> => {
    if (client.getQueryData<SignedInUser | null>(['session'])) return await request('GET', '/auth/v1/sessions/current')
    try {
      return await requestWithoutSession('GET', '/auth/v1/sessions/current')
    } catch (error) {
      if (isUnauthorized(error)) return null
      throw error
    }
  },
})

export type SignedInUser = ManagementRoutes['GET /auth/v1/sessions/current']['output']

export const ownFactorsQuery = queryOptions({
  queryKey: ['own-factors'],
  queryFn: () => request('GET', '/auth/v1/users/current/second-factors'),
})

export const ownPasskeysQuery = queryOptions({
  queryKey: ['own-factors', 'passkeys'],
  queryFn: () => request('GET', '/auth/v1/users/current/passkeys'),
})

export const ownSessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: () => request('GET', '/auth/v1/users/current/sessions'),
})

/** It changes with a restart only. */
export const installationQuery = queryOptions({
  queryKey: ['installation'],
  queryFn: () => request('GET', '/auth/v1/installation'),
  staleTime: Number.POSITIVE_INFINITY,
})

export const projectsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'projects'],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/projects', { path: { tenantId } }),
  })

export const providersQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'providers'],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/providers', { path: { tenantId } }),
  })

export const modelsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'models'],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/providers/models', { path: { tenantId } }),
  })

export type OneProject = ManagementRoutes['GET /auth/v1/projects/{projectId}']['output']

export const projectQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}', { path: { projectId } }),
  })

export const apiKeysQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'api-keys'],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}/api-keys', { path: { projectId } }),
  })

export const settingsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'settings'],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}/settings', { path: { projectId } }),
  })

/** In the key of each query of who changed something. */
export const lastChanges = 'last-changes'

/** After a change of the tenant itself, such as its plan: the session names it, too. */
export async function refreshTenant(tenantId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['tenant', tenantId] }),
    queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  ])
}
