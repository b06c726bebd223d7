// Leaves the screens of a tenant that the user does not belong to any more.
import { queryClient, sessionQuery } from './queries.ts'

/** The session is read first: the start page leads to the first tenant that is left. */
export async function leaveTenantScreens(tenantId: string, navigate: () => Promise<void>): Promise<void> {
  const queryKey = ['tenant', tenantId]
  await queryClient.cancelQueries({ queryKey })
  await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })
  await navigate()
  queryClient.removeQueries({ queryKey })
  // Their keys do not name the tenant; those of other tenants are read again.
  queryClient.removeQueries({ queryKey: ['project'] })
}
