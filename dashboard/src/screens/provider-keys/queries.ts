// What the screens of a tenant's own providers read: custom providers, clouds, and the models of both.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import type { Cloud } from './clouds.ts'

type CustomProviders = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/providers/custom']['output']
export type CustomProvider = CustomProviders['data'][number]
export type Preset = CustomProviders['presets'][number]
export type ShownModel = CustomProvider['models'][number]

type CustomBody = ManagementRoutes['PUT /auth/v1/tenants/{tenantId}/providers/custom/{slug}']['input']['body']
export type ModelInput = NonNullable<CustomBody['models']>[number]

export const customProvidersQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'custom-providers'],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/providers/custom', { path: { tenantId } }),
  })

export type CloudConfiguration = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/providers/azure']['output']

/** Only of a configured cloud, which the list of keys names. */
export const cloudQuery = (tenantId: string, cloud: Cloud) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'clouds', cloud],
    queryFn: (): Promise<CloudConfiguration> =>
      request('GET', `/auth/v1/tenants/{tenantId}/providers/${cloud}`, { path: { tenantId } }),
  })
