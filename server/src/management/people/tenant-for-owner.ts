// The operator's route that creates a tenant for somebody, who becomes its owner by accepting an invitation.

import { z } from 'zod'
import { builtInRoles } from '../../domain/access/permissions.ts'
import { noteAct } from '../../storage/audit/act.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { checkEmail, checkName } from '../plane/fields.ts'
import { type Route, route } from '../plane/route.ts'
import { inviteIn } from './members.ts'
import { insertTenant } from './tenants.ts'

export function tenantForOwnerRoutes(management: ManagementDependencies): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/admin/tenants',
      operation: 'createTenantFor',
      audit: { action: 'tenant.create', read: rowOf('tenants', { id: 'target' }) },
      summary: 'Create a tenant; the holder of the email becomes its owner by accepting the invitation',
      credential: 'admin-secret',
      owner: 'none',
      body: z.object({ name: checkName, owner_email: checkEmail }),
      answers: { 201: z.object({ id: z.string(), name: z.string(), invite_url: z.string() }) },
      async handle({ body }) {
        const created = await transact(management.sql, async trx => {
          const { id, name } = await insertTenant(management, trx, body.name)
          const place = { tenant: { id }, permissions: builtInRoles.owner }
          const { invite_url } = await inviteIn(trx, management, place, { email: body.owner_email, role: 'owner' })
          noteAct({ target: { id, name } })
          return { id, name, invite_url }
        })
        return { status: 201, body: created }
      },
    }),
  ]
}
