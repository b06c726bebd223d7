// Which budgets a call is charged to: those of its tenant, project, tier and end user that are in force.

import { hashUser } from '../../crypto/hash-user.ts'
import { type Budget, limitOf, periodAt } from '../../domain/budgets/budget.ts'
import type { BudgetLevel } from '../../domain/budgets/budget-alerts.ts'
import type { Verified } from '../../domain/caller.ts'
import type { ResolvedConfig } from '../../domain/resolved-config.ts'
import type { GivenBudgets } from '../../storage/budgets/budget-rows.ts'
import { projectScope, tenantScope, userScope } from '../../storage/budgets/budget-scopes.ts'
import type { Bound } from './bound.ts'

export interface BudgetInForce extends Bound {
  level: BudgetLevel
  /** Identifies the budget among those of the tenant, with its amount: a changed budget is another one. */
  id: string
  usd: number
}

interface Owner {
  level: BudgetLevel
  scope: string
  id: string
}

/** Empty for nearly all calls of projects without budgets; then nothing is computed. */
export function findBudgets(
  { tenantId, projectId, userId }: Verified,
  { tier, budgets }: Pick<ResolvedConfig, 'tier' | 'budgets'>,
  given: GivenBudgets,
  now: number,
): BudgetInForce[] {
  const ofTenant = given.tenants.get(tenantId) ?? []
  const ofUser = given.endUsers.get(projectId)?.get(userId) ?? []
  const inForce: BudgetInForce[] = []
  const add = (list: readonly Budget[], owner: () => Owner): void => {
    if (list.length > 0) inForce.push(...putInForce(list, owner(), now))
  }
  const user = { projectId, userId }
  add(ofTenant, () => ({ level: 'tenant', scope: tenantScope, id: 'tenant' }))
  add(budgets.project, () => ({ level: 'project', scope: projectScope(projectId), id: `project ${projectId}` }))
  add(budgets.tier, () => ({ level: 'tier', scope: userScope(user), id: `tier ${projectId} ${tier}` }))
  add(ofUser, () => ({ level: 'end_user', scope: userScope(user), id: `end_user ${projectId} ${hashUser(user)}` }))
  return inForce
}

function putInForce(list: readonly Budget[], { level, scope, id }: Owner, now: number): BudgetInForce[] {
  return list.map(budget => {
    const { usd, period } = budget
    const { name, endsAt } = periodAt(period, now)
    const limit = limitOf(budget)
    return { level, id: `${id} ${limit}`, usd, limit, period, endsAt, counter: { period: name, scope } }
  })
}
