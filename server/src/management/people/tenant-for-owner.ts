// The operator's route that creates a tenant for somebody, who becomes its owner by accepting an invitation.

import { z } from 'zod'
import { builtInRoles } from '../../domain/access/permissions.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { checkEmail, checkName } from '../plane/fields.ts'
import { type Route, route } from '../plane/route.ts'
import { invite } from './members.ts'
import { insertTenant } from './tenants.ts'

export function tenantForOwnerRoutes(management: ManagementDependencies): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/admin/tenants',
      operation: 'createTenantFor',
      summary: 'Create a tenant; whoever has the email becomes its owner by accepting the invitation',
      credential: 'admin-secret',
      owner: 'none',
      body: z.object({ name: checkName, owner_email: checkEmail }),
      answers: { 201: z.object({ id: z.string(), name: z.string(), invite_url: z.string() }) },
      async handle({ body }) {
        const { id, name } = await transact(management.sql, trx => insertTenant(management, trx, body.name))
        const { invite_url } = await invite(
          management,
          { tenant: { id }, permissions: builtInRoles.owner },
          body.owner_email,
          'owner',
        )
        return { status: 201, body: { id, name, invite_url } }
      },
    }),
  ]
}
