// The budgets of a tenant, and those of an end user, with what was spent of them; the budgets of projects and tiers are
// settings. Replicas notice a change within a second, by its revision in the database.

import { z } from 'zod'
import { type Budget, budgetPeriods, budgetsSchema, checkBudgets, periodAt } from '../../domain/budgets/budget.ts'
import {
  getEndUserBudgets,
  getTenantBudgets,
  putEndUserBudgets,
  putTenantBudgets,
} from '../../storage/budgets/budget-rows.ts'
import { type Spender, sumSpent } from '../../storage/budgets/spent.ts'
import type { ManagementDependencies } from '../dependencies.ts'
import { rowOf } from '../plane/acts/audit-facts.ts'
import { checked } from '../plane/fields.ts'
import { isoTime } from '../plane/iso-time.ts'
import { type Route, route } from '../plane/route.ts'
import { getLive } from '../settings/live-configs.ts'
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
const perPeriod = <Value extends z.ZodType>(value: Value) => z.object({ day: value, month: value })
const answers = {
  200: z.object({
    budgets: z.array(z.object({ usd: z.number(), period: z.enum(budgetPeriods) })),
    spent_usd: perPeriod(z.number()).meta({
      description: 'What the answers of the running day and month of UTC cost; requests in flight are not in it',
    }),
    period_ends: perPeriod(z.string()),
  }),
}

export const budgetRoutes = (management: ManagementDependencies): Route[] => [
  ...tenantBudgetRoutes(management),
  projectBudgetRoute(management),
  ...endUserBudgetRoutes(management),
]

function tenantBudgetRoutes(management: ManagementDependencies): Route[] {
  const { sql, now, log } = management
  const show = (tenantId: string, budgets: readonly Budget[]) =>
    showBudgets(management, budgets, { tenantId, projectId: null, userId: null })
  return [
    route({
      ...ofTenant,
      method: 'GET',
      operation: 'getTenantBudgets',
      permission: 'billing:read',
      summary: 'Get how much a tenant may spend in a day and a month, all projects together, and what it has spent',
      answers,
      async handle({ owned: { tenant } }) {
        return { status: 200, body: await show(tenant.id, await getTenantBudgets(sql, tenant.id)) }
      },
    }),
    route({
      ...ofTenant,
      method: 'PUT',
      operation: 'putTenantBudgets',
      audit: { action: 'budgets.put', target: 'tenantId', read: rowOf('tenant_budgets', { tenant_id: 'tenant' }) },
      permission: 'billing:write',
      summary: 'Set how much a tenant may spend in a day and a month, all projects together; live within a second',
      body: bodySchema,
      answers,
      async handle({ owned: { tenant }, body: { budgets } }) {
        await putTenantBudgets(sql, tenant.id, budgets, now())
        log.info('budgets of a tenant changed', { tenant_id: tenant.id })
        return { status: 200, body: await show(tenant.id, budgets) }
      },
    }),
  ]
}

function projectBudgetRoute(management: ManagementDependencies): Route {
  return route({
    credential: 'session',
    owner: 'project',
    method: 'GET',
    path: '/auth/v1/projects/:projectId/budgets',
    operation: 'getProjectBudgets',
    permission: 'billing:read',
    summary: 'Get the deployed budgets of a project, and what all its end users have spent',
    answers,
    async handle({ owned: { tenant, project } }) {
      const { settings } = await getLive(management.sql, project.id)
      const spender = { tenantId: tenant.id, projectId: project.id, userId: null }
      return { status: 200, body: await showBudgets(management, settings.budgets, spender) }
    },
  })
}

function endUserBudgetRoutes(management: ManagementDependencies): Route[] {
  const { sql, now, log } = management
  return [
    route({
      ...ofUser,
      method: 'GET',
      operation: 'getEndUserBudgets',
      permission: 'billing:read',
      summary: "Get how much an end user may spend, beside the project's and the tier's budgets, and has spent",
      answers,
      async handle(input) {
        const user = readEndUser(input)
        const spender = { tenantId: input.owned.tenant.id, ...user }
        return { status: 200, body: await showBudgets(management, await getEndUserBudgets(sql, user), spender) }
      },
    }),
    route({
      ...ofUser,
      method: 'PUT',
      operation: 'putEndUserBudgets',
      inFile: true,
      audit: {
        action: 'budgets.put',
        target: 'uid',
        read: rowOf('end_user_budgets', { project_id: 'project', user_id: 'target' }),
      },
      permission: 'billing:write',
      summary: 'Set how much an end user may spend in a day and a month; live within a second',
      body: bodySchema,
      answers,
      refusals: ['too_many_user_budgets'],
      async handle(input) {
        const { budgets } = input.body
        const user = readEndUser(input)
        await putEndUserBudgets(sql, user, budgets, now())
        log.info('budgets of an end user changed', { project_id: user.projectId })
        const spender = { tenantId: input.owned.tenant.id, ...user }
        return { status: 200, body: await showBudgets(management, budgets, spender) }
      },
    }),
  ]
}

async function showBudgets(
  { sql, now, writeUsage }: ManagementDependencies,
  budgets: readonly Budget[],
  spender: Spender,
) {
  // A request right after an answer must find its cost.
  await writeUsage()
  const time = now()
  const [day, month] = [periodAt('day', time), periodAt('month', time)]
  const spentIn = async (period: string): Promise<number> => Math.max(0, await sumSpent(sql, spender, period)) / 1e9
  // The day first: it must not exceed the month if a row is added meanwhile.
  const spent_usd = { day: await spentIn(day.name), month: await spentIn(month.name) }
  return { budgets, spent_usd, period_ends: { day: isoTime(day.endsAt), month: isoTime(month.endsAt) } }
}
