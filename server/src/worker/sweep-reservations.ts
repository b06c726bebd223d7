// Settles reservations of replicas that died, of tokens and of budgets: at their last checkpoint, once their lease has
// expired or the replica is known to have ended.

import { platformAccounts } from '../domain/budgets/platform-bounds.ts'
import { inPages } from './in-pages.ts'
import type { Job, WorkerDependencies } from './job.ts'

const pageSize = 1000
const accountsOfPlatform = Object.values(platformAccounts)

export const sweepReservations: Job = {
  name: 'sweep-reservations',
  everyMs: 60 * 1000,
  runsBeforeReady: false,
  async run(dependencies, signal) {
    const { kv, log } = dependencies
    const ofTokens = await sweep(dependencies, 'projects', ids => kv.sweepReservations(ids), signal)
    if (ofTokens > 0) log.warn('reservations of ended replicas settled', { count: ofTokens })
    const ofTenants = await sweep(dependencies, 'tenants', ids => kv.sweepBudgets(ids), signal)
    const ofBudgets = ofTenants + (await kv.sweepBudgets(accountsOfPlatform))
    if (ofBudgets > 0) log.warn('budgets reserved by ended replicas settled', { count: ofBudgets })
  },
}

/** Settles all that this replica, which has ended, had reserved; returns how many reservations. */
export async function settleReservationsOf(
  dependencies: Pick<WorkerDependencies, 'sql' | 'kv'>,
  replicaId: string,
): Promise<number> {
  const { kv } = dependencies
  const { signal } = new AbortController()
  const ofTokens = await sweep(dependencies, 'projects', ids => kv.sweepReservations(ids, replicaId), signal)
  const ofTenants = await sweep(dependencies, 'tenants', ids => kv.sweepBudgets(ids, replicaId), signal)
  return ofTokens + ofTenants + (await kv.sweepBudgets(accountsOfPlatform, replicaId))
}

async function sweep(
  { sql }: Pick<WorkerDependencies, 'sql'>,
  owners: 'projects' | 'tenants',
  sweepPage: (ids: readonly string[]) => Promise<number>,
  signal: AbortSignal,
): Promise<number> {
  let afterId = ''
  let swept = 0
  await inPages(signal, async () => {
    const page = await sql
      .selectFrom(owners)
      .select('id')
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(pageSize)
      .execute()
    swept += await sweepPage(page.map(({ id }) => id))
    afterId = page.at(-1)?.id ?? ''
    return page.length > 0
  })
  return swept
}
