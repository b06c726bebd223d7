// The identity provider of a project, as the API has it.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { hasStatus } from '../../api/errors.ts'
import { request } from '../../api/management.ts'
import { liveMs } from '../../api/queries.ts'

export const providerPath = '/auth/v1/projects/{projectId}/identity-provider'

export type IdentityProvider = ManagementRoutes[`GET ${typeof providerPath}`]['output']

export const providerQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'identity-provider'],
    /** Null if there is none. */
    queryFn: async (): Promise<IdentityProvider | null> => {
      try {
        return await request('GET', providerPath, { path: { projectId } })
      } catch (error) {
        if (hasStatus(error, 404)) return null
        throw error
      }
    },
    // The keys are fetched in the background.
    refetchInterval: liveMs,
  })
