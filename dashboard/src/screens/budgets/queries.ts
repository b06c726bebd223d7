// Reads and changes budgets, with what was spent of them.
import type { ManagementRoutes } from '@sallyport/sdk'
import { type QueryKey, queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'
import type { Budget } from './budget-values.ts'

/** Those of a project and of an end user have the same form. */
export type SpentBudgets = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/budgets']['output']

/** What is spent grows while somebody watches. */
const refetchMs = 5000

export const tenantBudgetsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'budgets'],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/budgets', { path: { tenantId } }),
    refetchInterval: refetchMs,
  })

export async function putTenantBudgets(tenantId: string, budgets: Budget[]): Promise<void> {
  const path = { tenantId }
  const saved = await request('PUT', '/auth/v1/tenants/{tenantId}/budgets', { path, body: { budgets } })
  await showSaved(tenantBudgetsQuery(tenantId).queryKey, saved)
}

/** Those that are deployed. */
export const projectBudgetsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'budgets'],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}/budgets', { path: { projectId } }),
    refetchInterval: refetchMs,
  })

export const endUserBudgetsQuery = (projectId: string, uid: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'end-user-budgets', uid],
    queryFn: () => request('GET', '/auth/v1/projects/{projectId}/users/{uid}/budgets', { path: { projectId, uid } }),
    refetchInterval: refetchMs,
  })

export async function putEndUserBudgets(projectId: string, uid: string, budgets: Budget[]): Promise<void> {
  const path = { projectId, uid }
  const saved = await request('PUT', '/auth/v1/projects/{projectId}/users/{uid}/budgets', { path, body: { budgets } })
  await showSaved(endUserBudgetsQuery(projectId, uid).queryKey, saved)
}

async function showSaved(queryKey: QueryKey, saved: SpentBudgets): Promise<void> {
  // A read that began before the change would bring the old amounts back.
  await queryClient.cancelQueries({ queryKey })
  queryClient.setQueryData(queryKey, saved)
}
