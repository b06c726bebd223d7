// What the screen of prices reads.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'

export type TenantPrice = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/prices']['output']['data'][number]

export const pricesQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'prices'],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/prices', { path: { tenantId } }),
  })

/** The catalog of models shows them, too. */
export const refreshPrices = (tenantId: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['tenant', tenantId] })
