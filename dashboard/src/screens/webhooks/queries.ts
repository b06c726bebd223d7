// What the screens of webhooks and of a tenant's events read.
import type { ManagementRoutes } from '@sallyport/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { liveMs } from '../../api/queries.ts'
import type { TenantEventFilter } from './event-names.ts'

export type Webhook = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/webhooks']['output'][number]
type Deliveries = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/webhooks/{webhookId}/deliveries']['output']
export type Delivery = Deliveries['data'][number]
export type TenantEvent = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/events']['output']['data'][number]

export const webhooksQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'webhooks'],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/webhooks', { path: { tenantId } }),
  })

export const deliveriesQuery = (tenantId: string, webhookId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'webhooks', webhookId, 'deliveries', cursor],
    queryFn: () => {
      const query = cursor === undefined ? {} : { cursor }
      const path = { tenantId, webhookId }
      return request('GET', '/auth/v1/tenants/{tenantId}/webhooks/{webhookId}/deliveries', { path, query })
    },
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  })

export const tenantEventsQuery = (tenantId: string, filter: TenantEventFilter) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'events', filter],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/events', { path: { tenantId }, query: { ...filter } }),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  })
