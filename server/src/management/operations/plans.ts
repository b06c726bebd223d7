// The operator's route that sets the plan of a tenant.

import { z } from 'zod'
import { Refusal } from '../../domain/errors.ts'
import { transact } from '../../storage/transact.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { type Route, route } from '../plane/route.ts'

const planSchema = z.enum(['free', 'pro'], { error: 'plan must be one of: free, pro' })

export function planRoutes({ sql }: ManagementDependencies): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/v1/admin/tenants/:tenantId/plan',
      operation: 'setPlan',
      audit: { action: 'tenant.plan', target: 'tenantId', read: rowOf('tenants', { id: 'target' }) },
      summary: 'Set the plan of a tenant',
      credential: 'admin-secret',
      owner: 'none',
      body: z.object({ plan: planSchema }),
      answers: { 200: z.object({ id: z.string(), name: z.string(), plan: planSchema }) },
      refusals: ['tenant_not_found'],
      async handle({ params, body }) {
        const tenant = await transact(sql, trx =>
          trx
            .updateTable('tenants')
            .set({ plan: body.plan })
            .where('id', '=', params['tenantId'] ?? '')
            .where('deleted_at', 'is', null)
            .returning(['id', 'name', 'plan'])
            .executeTakeFirst(),
        )
        if (tenant === undefined) throw new Refusal('tenant_not_found')
        return { status: 200, body: tenant }
      },
    }),
  ]
}
