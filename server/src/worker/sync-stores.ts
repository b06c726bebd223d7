// The sync cycle: reads everything that the store projects from the database and writes it again. Repairs a store that
// was emptied or missed a push; revisions keep it from overwriting newer pushes.

import {
  killSwitchRevision,
  listProjectedConfigs,
  listProjectedKeySets,
  listProjectedProviderKeys,
  listProjectedRestrictions,
  readKillSwitches,
  readRevision,
} from '../storage/projections.ts'
import { transact } from '../storage/transact.ts'
import { listSpend } from '../storage/usage-rows.ts'
import { inPages } from './in-pages.ts'
import type { Job, WorkerDependencies } from './job.ts'
import { pause } from './pause.ts'

/** Documents may be as large as four system prompts; one page of them is held at once. */
const pageSize = 200
/** A document of restrictions names up to 100,000 end users. */
const restrictionsPageSize = 10

export function syncStores(everyMs: number): Job {
  let isFirst = true
  return {
    name: 'sync-stores',
    everyMs,
    runsBeforeReady: true,
    async run(dependencies, signal) {
      const filling = await dependencies.kv.startFilling()
      const hadLostNothing = await dependencies.kv.isSeeded()
      await syncKillSwitches(dependencies)
      await syncConfigs(dependencies, signal)
      await syncProviderKeys(dependencies, signal)
      await syncKeySets(dependencies, signal)
      await syncRestrictions(dependencies, signal)
      // The store has everything already, so a starting replica becomes ready before this.
      if (!isFirst || !hadLostNothing) await syncSpend(dependencies, signal, hadLostNothing)
      isFirst = false
      if (signal.aborted) return
      // A store that was emptied meanwhile has only a part. Throws, so that the cycle is retried at once, and a replica
      // in its first cycle does not become ready.
      if (!(await dependencies.kv.markSeeded(filling))) throw new Error('the store was emptied during the cycle')
    },
  }
}

async function syncKillSwitches({ sql, kv }: WorkerDependencies): Promise<void> {
  // The revision before the list: a switch set in between is pushed under a higher one.
  const { revision, switches } = await transact(sql, async trx => ({
    revision: await readRevision(trx, killSwitchRevision),
    switches: await readKillSwitches(trx),
  }))
  await kv.putKillSwitches(switches, revision)
}

async function syncConfigs({ sql, kv }: WorkerDependencies, signal: AbortSignal): Promise<void> {
  let afterId = ''
  await inPages(signal, async () => {
    const page = await listProjectedConfigs(sql, afterId, pageSize)
    await kv.putSlugs(page)
    await kv.putConfigs(page)
    afterId = page.at(-1)?.projectId ?? ''
    return page.length > 0
  })
}

async function syncProviderKeys({ sql, kv }: WorkerDependencies, signal: AbortSignal): Promise<void> {
  let afterId = ''
  await inPages(signal, async () => {
    const page = await listProjectedProviderKeys(sql, afterId, pageSize)
    await Promise.all(page.map(({ tenantId, ...keys }) => kv.putProviderKeys(tenantId, keys)))
    afterId = page.at(-1)?.tenantId ?? ''
    return page.length > 0
  })
}

async function syncKeySets({ sql, kv }: WorkerDependencies, signal: AbortSignal): Promise<void> {
  let afterId = ''
  await inPages(signal, async () => {
    const page = await listProjectedKeySets(sql, afterId, pageSize)
    await Promise.all(page.map(({ projectId, ...keySet }) => kv.putKeySet(projectId, keySet)))
    afterId = page.at(-1)?.projectId ?? ''
    return page.length > 0
  })
}

async function syncRestrictions({ sql, kv }: WorkerDependencies, signal: AbortSignal): Promise<void> {
  let afterId = ''
  await inPages(signal, async () => {
    const page = await listProjectedRestrictions(sql, afterId, restrictionsPageSize)
    await Promise.all(page.map(({ projectId, ...restrictions }) => kv.putRestrictions(projectId, restrictions)))
    afterId = page.at(-1)?.projectId ?? ''
    return page.length > 0
  })
}

/** An answer's usage row and its settlement come from two processes: after this time both have arrived. */
const settledMs = 3_000

/** The day's counters never fall below the sums of the rows, so that an emptied store does not restore spent tokens. */
async function syncSpend(
  { sql, kv, now }: WorkerDependencies,
  signal: AbortSignal,
  hadLostNothing: boolean,
): Promise<void> {
  const day = new Date(now()).toISOString().slice(0, 10)
  const pages: Awaited<ReturnType<typeof listSpend>>[] = []
  for (let afterId = ''; !signal.aborted; ) {
    const page = await listSpend(sql, day, afterId, pageSize)
    if (page.length === 0) break
    pages.push(page)
    afterId = page.at(-1)?.projectId ?? ''
  }
  // Unsettled usage would be counted twice: by the row now and by the settlement then.
  if (hadLostNothing && kv.kind === 'redis' && pages.length > 0) await pause(settledMs, signal)
  for (const page of pages) if (!signal.aborted) await kv.restoreSpend(page)
}
