// Closes each day of usage once no more of it is expected: an hour after midnight UTC, and not while usage waits in the
// store for the database.

import { dayMs } from '../domain/day.ts'
import type { UsageShelf } from '../kv/usage-shelf.ts'
import { beginDay, closeDay, findNextDay, rollUpProject } from '../storage/rollups/close-days.ts'
import { inPages } from './in-pages.ts'
import type { Job, WorkerDependencies } from './job.ts'

/** Usage is written within seconds of its answer; its day is the day on which the answer ended. */
const graceMs = 60 * 60 * 1000
const projectsAtOnce = 200

export function closeUsageDays(shelf: Pick<UsageShelf, 'findShelvedUsage'> | null): Job {
  return {
    name: 'close-usage-days',
    everyMs: 10 * 60 * 1000,
    runsBeforeReady: false,
    async run(dependencies, signal) {
      const { sql, now, log } = dependencies
      for (;;) {
        const day = await findNextDay(sql)
        if (day === null || now() < Date.parse(day) + dayMs + graceMs) return
        if (shelf !== null && (await shelf.findShelvedUsage(1)).length > 0) return
        await rollUpAll(dependencies, day, signal)
        if (signal.aborted) return
        await closeDay(sql, day, now())
        log.info('usage of a day closed')
      }
    },
  }
}

async function rollUpAll({ sql }: WorkerDependencies, day: string, signal: AbortSignal): Promise<void> {
  await beginDay(sql, day)
  let afterId = ''
  await inPages(signal, async () => {
    const projects = await sql
      .selectFrom('projects')
      .select('id')
      .where('deleted_at', 'is', null)
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(projectsAtOnce)
      .execute()
    for (const { id } of projects) if (!signal.aborted) await rollUpProject(sql, day, id)
    afterId = projects.at(-1)?.id ?? ''
    return projects.length === projectsAtOnce
  })
}
