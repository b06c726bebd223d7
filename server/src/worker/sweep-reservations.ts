// Settles token reservations of replicas that died: at their last checkpoint, once their lease has expired.

import { inPages } from './in-pages.ts'
import type { Job } from './job.ts'

const pageSize = 1000

export const sweepReservations: Job = {
  name: 'sweep-reservations',
  everyMs: 60 * 1000,
  runsBeforeReady: false,
  async run({ sql, kv, log }, signal) {
    let afterId = ''
    let swept = 0
    await inPages(signal, async () => {
      const page = await sql
        .selectFrom('projects')
        .select('id')
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(pageSize)
        .execute()
      swept += await kv.sweepReservations(page.map(({ id }) => id))
      afterId = page.at(-1)?.id ?? ''
      return page.length > 0
    })
    if (swept > 0) log.warn('reservations of ended replicas settled', { count: swept })
  },
}
