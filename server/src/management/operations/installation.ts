// What the operator has set for all tenants, as far as people need to know it before they are refused.

import { z } from 'zod'
import type { ManagementDependencies } from '../dependencies.ts'
import { type Route, route } from '../plane/route.ts'

export function installationRoutes({ settings }: ManagementDependencies): Route[] {
  const { tenantCreation, limits } = settings
  return [
    route({
      method: 'GET',
      path: '/auth/v1/installation',
      operation: 'getInstallation',
      summary: 'Get who creates tenants on this installation, and the maxima of settings',
      credential: 'session',
      owner: 'caller',
      permission: null,
      onlyForPeople: false,
      inTenantSession: true,
      answers: {
        200: z.object({
          tenant_creation: z.enum(['anyone', 'operator']),
          max_tiers: z.int(),
          max_rpm_limit: z.int(),
        }),
      },
      async handle() {
        const body = {
          tenant_creation: tenantCreation,
          max_tiers: limits.maxTiers,
          max_rpm_limit: limits.maxRpmLimit,
        }
        return { status: 200, body }
      },
    }),
  ]
}
