// What the operator's screens read. The keys do not contain the secret; all of it goes when the secret goes.
import type { ManagementRoutes } from '@sallyport/sdk'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { liveMs, queryClient, refreshTenant } from '../../api/queries.ts'
import type { ListSearch } from '../../ui/searched-list.tsx'
import { type AuditFilter, toQuery } from '../audit/audit-filter.ts'
import type { Operator } from './operator-context.tsx'

export type ListedTenant = ManagementRoutes['GET /v1/admin/tenants']['output']['data'][number]
export type ListedProject = ManagementRoutes['GET /v1/admin/projects']['output']['data'][number]
export type CatalogEntry = ManagementRoutes['GET /auth/v1/admin/providers']['output']['providers'][number]
export type ListedOperator = ManagementRoutes['GET /v1/admin/operators']['output']['data'][number]
export type ListedCredential = ManagementRoutes['GET /v1/admin/credentials']['output']['data'][number]
export type UsageGroup = ManagementRoutes['GET /v1/admin/usage']['output']['data'][number]

export const costNote = 'usage without a price costs nothing'

export const groupings = ['tenant', 'day', 'model', 'endpoint'] as const
export type UsageGrouping = (typeof groupings)[number]

export interface UsageSearch {
  group_by?: UsageGrouping
  from?: string
  to?: string
  cursor?: string
}

export const operatorKey = ['operator']
/** The most that the API returns at once. */
const maxNames = 200

export const allTenantsQuery = ({ request }: Operator, search: ListSearch) =>
  queryOptions({
    queryKey: [...operatorKey, 'tenants', search],
    queryFn: () => request('GET', '/v1/admin/tenants', { query: { ...search } }),
    placeholderData: keepPreviousData,
  })

export const allProjectsQuery = ({ request }: Operator, search: ListSearch) =>
  queryOptions({
    queryKey: [...operatorKey, 'projects', search],
    queryFn: () => request('GET', '/v1/admin/projects', { query: { ...search } }),
    placeholderData: keepPreviousData,
  })

/** The names of the newest tenants by id; older ones are shown by their id, with a link that finds them. */
export const tenantNamesQuery = ({ request }: Operator) =>
  queryOptions({
    queryKey: [...operatorKey, 'tenants', 'names'],
    queryFn: async () => {
      const { data } = await request('GET', '/v1/admin/tenants', { query: { limit: maxNames } })
      return new Map(data.map(({ id, name }) => [id, name]))
    },
  })

export const killSwitchesQuery = ({ request }: Operator) =>
  queryOptions({
    queryKey: [...operatorKey, 'kill-switches'],
    queryFn: () => request('GET', '/v1/admin/killswitch/status'),
    refetchInterval: liveMs,
  })

/** The newest change of each kill switch, by the id of what it stops. A refresh of the switches reads it, too. */
export const switchChangesQuery = ({ request }: Operator) =>
  queryOptions({
    queryKey: [...operatorKey, 'kill-switches', 'changes'],
    queryFn: async () => {
      const query = { action: 'kill_switch.set', outcome: 'done', limit: maxNames } as const
      const { data } = await request('GET', '/v1/admin/audit', { query })
      return new Map(data.toReversed().map(entry => [entry.target.id, entry]))
    },
    refetchInterval: 15_000,
  })

/** What the process that answers lacks; empty if it is ready. */
export const readinessQuery = queryOptions({
  queryKey: [...operatorKey, 'readiness'],
  queryFn: async (): Promise<string[]> => {
    const answer: { reasons?: string[] } = await (await fetch('/readyz')).json()
    return answer.reasons ?? []
  },
  refetchInterval: 5000,
})

export type InstallationHealth = ManagementRoutes['GET /v1/admin/health']['output']

export const healthQuery = ({ request }: Operator) =>
  queryOptions({
    queryKey: [...operatorKey, 'health'],
    queryFn: () => request('GET', '/v1/admin/health'),
    refetchInterval: 15_000,
  })

export const catalogQuery = ({ request }: Operator) =>
  queryOptions({
    queryKey: [...operatorKey, 'catalog'],
    queryFn: () => request('GET', '/auth/v1/admin/providers'),
  })

export const allUsageQuery = ({ request }: Operator, search: UsageSearch) =>
  queryOptions({
    queryKey: [...operatorKey, 'usage', search.group_by, search],
    queryFn: () => request('GET', '/v1/admin/usage', { query: { ...search } }),
    // Rows of another grouping do not fit into the columns.
    placeholderData: (previous, query) => (query?.queryKey.at(-2) === search.group_by ? previous : undefined),
  })

const pages = {
  initialPageParam: {} as { cursor?: string },
  getNextPageParam: ({ next_cursor: cursor }: { next_cursor: string | null }) => (cursor === null ? null : { cursor }),
}

export const operatorsQuery = ({ request }: Operator) =>
  infiniteQueryOptions({
    queryKey: [...operatorKey, 'access', 'operators'],
    queryFn: ({ pageParam }) => request('GET', '/v1/admin/operators', { query: { limit: maxNames, ...pageParam } }),
    ...pages,
  })

export const credentialsQuery = ({ request }: Operator) =>
  infiniteQueryOptions({
    queryKey: [...operatorKey, 'access', 'credentials'],
    queryFn: ({ pageParam }) => request('GET', '/v1/admin/credentials', { query: { limit: maxNames, ...pageParam } }),
    ...pages,
  })

export const refreshOperators = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: [...operatorKey, 'access'] })

export const installationAuditQuery = ({ request }: Operator, filter: AuditFilter) =>
  queryOptions({
    queryKey: [...operatorKey, 'audit', filter],
    queryFn: () => request('GET', '/v1/admin/audit', { query: toQuery(filter) }),
    placeholderData: keepPreviousData,
  })

/** The operator may belong to the tenant, too, whose plan the other screens show. */
export async function refreshTenants(tenantId: string): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: [...operatorKey, 'tenants'] }), refreshTenant(tenantId)])
}
