// The budgets of a tenant, and those of an end user; the budgets of projects and tiers are settings. Replicas notice a
// change within a second, by its revision in the database.

import { z } from 'zod'
import { budgetPeriods, budgetsSchema, checkBudgets } from '../../domain/budgets/budget.ts'
import {
  getEndUserBudgets,
  getTenantBudgets,
  putEndUserBudgets,
  putTenantBudgets,
} from '../../storage/budgets/budget-rows.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { checked } from '../plane/fields.ts'
import { type Route, route } from '../plane/route.ts'
import { readEndUser } from './restrict-end-users.ts'

const ofTenant = { credential: 'session', owner: 'tenant', path: '/auth/v1/tenants/:tenantId/budgets' } as const
const ofUser = {
  credential: 'session',
  owner: 'project',
  path: '/auth/v1/projects/:projectId/users/:uid/budgets',
} as const

const bodySchema = z.object({
  budgets: checked({ ...budgetsSchema, description: 'Replaces all budgets; an empty array removes them' }, value =>
    checkBudgets(value === undefined ? 'missing' : value, 'budgets'),
  ),
})
const answers = {
  200: z.object({ budgets: z.array(z.object({ usd: z.number(), period: z.enum(budgetPeriods) })) }),
}

export function budgetRoutes({ sql, now, log }: ManagementDependencies): Route[] {
  return [
    route({
      ...ofTenant,
      method: 'GET',
      operation: 'getTenantBudgets',
      summary: 'Get how much a tenant may spend in a day and a month, all projects together',
      answers,
      async handle({ owned }) {
        return { status: 200, body: { budgets: await getTenantBudgets(sql, owned.tenant.id) } }
      },
    }),
    route({
      ...ofTenant,
      method: 'PUT',
      operation: 'putTenantBudgets',
      summary: 'Set how much a tenant may spend in a day and a month, all projects together; live within a second',
      body: bodySchema,
      answers,
      async handle({ owned, body: { budgets } }) {
        await putTenantBudgets(sql, owned.tenant.id, budgets, now())
        log.info('budgets of a tenant changed', { tenant_id: owned.tenant.id })
        return { status: 200, body: { budgets } }
      },
    }),
    route({
      ...ofUser,
      method: 'GET',
      operation: 'getEndUserBudgets',
      summary: "Get how much an end user may spend in a day and a month, beside the project's and the tier's budgets",
      answers,
      async handle(input) {
        return { status: 200, body: { budgets: await getEndUserBudgets(sql, readEndUser(input)) } }
      },
    }),
    route({
      ...ofUser,
      method: 'PUT',
      operation: 'putEndUserBudgets',
      summary: 'Set how much an end user may spend in a day and a month; live within a second',
      body: bodySchema,
      answers,
      refusals: ['too_many_user_budgets'],
      async handle(input) {
        const { budgets } = input.body
        const user = readEndUser(input)
        await putEndUserBudgets(sql, user, budgets, now())
        log.info('budgets of an end user changed', { project_id: user.projectId })
        return { status: 200, body: { budgets } }
      },
    }),
  ]
}
