// What the screen of the members reads.
import type { ManagementRoutes } from '@sallyport/sdk'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../../api/management.ts'
import { queryClient } from '../../api/queries.ts'

export type Member = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/members']['output'][number]
export type Invitation = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/invitations']['output'][number]

export type Role = ManagementRoutes['GET /auth/v1/tenants/{tenantId}/roles']['output']['data'][number]

/** All of them fit on one page: a tenant has at most 50 of its own. */
export const rolesQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'roles'],
    queryFn: async () => {
      const query = { limit: 200 }
      return (await request('GET', '/auth/v1/tenants/{tenantId}/roles', { path: { tenantId }, query })).data
    },
  })

export const membersQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'members'],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/members', { path: { tenantId } }),
  })

/** Only owners may read it. */
export const invitationsQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['tenant', tenantId, 'invitations'],
    queryFn: () => request('GET', '/auth/v1/tenants/{tenantId}/invitations', { path: { tenantId } }),
  })

/** A change of one often changes the other: an owner who leaves takes the open invitations along. */
export async function refreshPeople(tenantId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: membersQuery(tenantId).queryKey }),
    queryClient.invalidateQueries({ queryKey: invitationsQuery(tenantId).queryKey }),
  ])
}

export interface InvitationLink {
  email: string
  url: string
}

/** The link is returned only here. A new one replaces an older one of the same email. */
export async function invite(tenantId: string, body: { email: string; role: string }): Promise<InvitationLink> {
  const added = await request('POST', '/auth/v1/tenants/{tenantId}/members', { path: { tenantId }, body })
  await refreshPeople(tenantId)
  return { email: added.email, url: added.invite_url }
}
