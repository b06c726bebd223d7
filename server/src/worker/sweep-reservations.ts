// Settles reservations of replicas that died, of tokens and of budgets: at their last checkpoint, once their lease has
// expired.

import { inPages } from './in-pages.ts'
import type { Job, WorkerDependencies } from './job.ts'

const pageSize = 1000

export const sweepReservations: Job = {
  name: 'sweep-reservations',
  everyMs: 60 * 1000,
  runsBeforeReady: false,
  async run(dependencies, signal) {
    const { kv, log } = dependencies
    const ofTokens = await sweep(dependencies, 'projects', kv.sweepReservations, signal)
    if (ofTokens > 0) log.warn('reservations of ended replicas settled', { count: ofTokens })
    const ofBudgets = await sweep(dependencies, 'tenants', kv.sweepBudgets, signal)
    if (ofBudgets > 0) log.warn('budgets reserved by ended replicas settled', { count: ofBudgets })
  },
}

async function sweep(
  { sql }: WorkerDependencies,
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
