// Raises what the store says was spent of budgets to the sums of the usage rows, for calls that the store missed: those
// that were running when it was emptied, and those that were answered while it was unavailable.

import { type BudgetSpend, periodAt } from '../domain/budgets/budget.ts'
import { platformAccounts } from '../domain/budgets/platform-bounds.ts'
import { listPlatformSpent } from '../storage/budgets/platform-spent.ts'
import { listSpentOfCounters } from '../storage/budgets/spent.ts'
import { inPages } from './in-pages.ts'
import type { Job, WorkerDependencies } from './job.ts'
import { pause } from './pause.ts'

const pageSize = 200
/** An answer's usage row and its settlement go different ways: after this time both have arrived. */
const settledMs = 3_000

export const raiseBudgetSpend: Job = {
  name: 'raise-budget-spend',
  everyMs: 60 * 1000,
  runsBeforeReady: false,
  async run(dependencies, signal) {
    const { sql } = dependencies
    await raise(dependencies, await readPlatformSums(dependencies), signal)
    let afterId = ''
    await inPages(signal, async () => {
      const page = await sql
        .selectFrom('tenants')
        .select('id')
        .where('deleted_at', 'is', null)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(pageSize)
        .execute()
      await raise(dependencies, await Promise.all(page.map(({ id }) => readSums(dependencies, id))), signal)
      afterId = page.at(-1)?.id ?? ''
      return page.length > 0
    })
  },
}

interface AccountSums {
  tenantId: string
  spends: readonly BudgetSpend[]
}

async function raise({ kv }: WorkerDependencies, sums: readonly AccountSums[], signal: AbortSignal): Promise<void> {
  // Unsettled usage would be counted twice: by the row now and by the settlement then.
  if (kv.kind === 'redis' && sums.some(({ spends }) => spends.length > 0)) await pause(settledMs, signal)
  for (const { tenantId, spends } of sums) {
    if (!signal.aborted && spends.length > 0) await kv.raiseBudgetSpend(tenantId, spends)
  }
}

/** The same for what the platform's keys pay for; its counters are those of days. */
async function readPlatformSums({ sql, kv, now }: WorkerDependencies): Promise<AccountSums[]> {
  const { name } = periodAt('day', now())
  const sums: AccountSums[] = []
  for (const measure of ['tokens', 'usd'] as const) {
    const tenantId = platformAccounts[measure]
    const counters = await kv.findBudgetSpend(tenantId, name)
    if (counters.length > 0) sums.push({ tenantId, spends: await listPlatformSpent(sql, measure, counters, name) })
  }
  return sums
}

/** The database's sums for all counters of the current periods that the store has. */
async function readSums({ sql, kv, now }: WorkerDependencies, tenantId: string): Promise<AccountSums> {
  const spends: BudgetSpend[] = []
  for (const period of ['day', 'month'] as const) {
    const { name } = periodAt(period, now())
    const counters = await kv.findBudgetSpend(tenantId, name)
    if (counters.length > 0) spends.push(...(await listSpentOfCounters(sql, tenantId, counters, name)))
  }
  return { tenantId, spends }
}
