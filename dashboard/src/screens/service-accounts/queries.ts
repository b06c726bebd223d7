// What the screen of the service accounts reads.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'

export type ServiceAccount =
  ManagementRoutes['GET /auth/v1/tenants/{tenantId}/service-accounts']['output']['data'][number]

/** All of them fit on one page: a tenant has at most 100. */
export const serviceAccountsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'service-accounts'],
    queryFn: async () => {
      const query = { limit: 200 }
      return (await request('GET', '/auth/v1/tenants/{tenantId}/service-accounts', { path: { tenantId }, query })).data
    },
  })

export const refreshServiceAccounts = (tenantId: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: serviceAccountsQuery(tenantId).queryKey })
