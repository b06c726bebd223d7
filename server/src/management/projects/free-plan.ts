// The free plan's limit on active projects.

import type { Transaction } from 'kysely'
import { Refusal } from '../../domain/errors.ts'
import type { Schema } from '../../storage/schema.ts'

const freeProjects = 3

/** Throws if the tenant may not have another active project. The caller must have locked the tenant. */
export async function checkFreePlan(trx: Transaction<Schema>, tenantId: string, upgradeUrl: string): Promise<void> {
  const tenant = await trx.selectFrom('tenants').select('plan').where('id', '=', tenantId).executeTakeFirstOrThrow()
  if (tenant.plan !== 'free') return
  const { count } = await trx
    .selectFrom('projects')
    .select(row => row.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow()
  if (count >= freeProjects) throw new Refusal('free_plan_projects', { upgradeUrl })
}
