// What the screens of a tenant's custom providers read, and the models of its own providers.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'

export type CustomProviderList = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/providers/custom']['output']
export type CustomProvider = CustomProviderList['data'][number]
export type Preset = CustomProviderList['presets'][number]
export type ShownModel = CustomProvider['models'][number]

type CustomBody = ManagementRoutes['PUT /auth/v1/tenants/{tenantId}/providers/custom/{slug}']['input']['body']
export type ModelInput = NonNullable<CustomBody['models']>[number]

export const customProvidersQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'custom-providers'],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/providers/custom', { path: { tenantId } }),
  })

/** As `customProvidersQuery`, with the servers that are found at their usual addresses. */
export const foundServersQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'found-servers'],
    queryFn: () =>
      request('GET', '/auth/v1/tenants/{tenantId}/providers/custom', { path: { tenantId }, query: { find: 'true' } }),
  })
