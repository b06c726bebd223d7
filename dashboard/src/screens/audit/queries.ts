// What the screen of the audit reads.
import type { ManagementRoutes } from '@sallyport/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { type AuditFilter, toQuery } from './audit-filter.ts'

export type AuditEntry = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/audit']['output']['data'][number]
export type Verdict = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/audit/verify']['output']

export const auditQuery = (tenantId: string, filter: AuditFilter) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'audit', filter],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/audit', { path: { tenantId }, query: toQuery(filter) }),
    placeholderData: keepPreviousData,
  })

export const verifyChain = (tenantId: string) =>
  request('GET', '/auth/v1/tenants/{tenantId}/audit/verify', { path: { tenantId } })
