// The sync cycle: everything the store projects is read from the database and written again. It heals a store that was
// emptied or missed a push; revisions keep it from undoing what was pushed meanwhile.

import {
  killSwitchRevision,
  listProjectedConfigs,
  listProjectedKeySets,
  listProjectedProviderKeys,
  readKillSwitches,
  readRevision,
} from '../storage/projections.ts'
import { transact } from '../storage/transact.ts'
import { listSpend } from '../storage/usage-rows.ts'
import { inPages } from './in-pages.ts'
import type { Job, WorkerWorld } from './job.ts'
import { pause } from './pause.ts'

/** Documents may be as large as four system prompts; a page of them is held at once. */
const pageSize = 200

export function syncStores(everyMs: number): Job {
  let isFirst = true
  return {
    name: 'sync-stores',
    everyMs,
    runsBeforeReady: true,
    async run(world, signal) {
      const hadLostNothing = await world.kv.isSeeded()
      await syncKillSwitches(world)
      await syncConfigs(world, signal)
      await syncProviderKeys(world, signal)
      await syncKeySets(world, signal)
      // Nobody waits for what the store has anyway: a copy that starts is ready before.
      if (!isFirst || !hadLostNothing) await syncSpend(world, signal, hadLostNothing)
      isFirst = false
      // Only a cycle that filled it all may say that the store can be trusted: one that was emptied meanwhile holds a part.
      const stillHasTheFirst = (await world.kv.findKillSwitches()) !== null
      if (signal.aborted) return
      // Failed, so that it is repeated at once and a copy whose first cycle this was is not ready.
      if (!stillHasTheFirst || (hadLostNothing && !(await world.kv.isSeeded()))) {
        throw new Error('the store was emptied during the cycle')
      }
      if (!hadLostNothing) await world.kv.markSeeded()
    },
  }
}

async function syncKillSwitches({ sql, kv }: WorkerWorld): Promise<void> {
  // The revision before the list: a switch set in between is pushed under a higher one.
  const { revision, switches } = await transact(sql, async trx => ({
    revision: await readRevision(trx, killSwitchRevision),
    switches: await readKillSwitches(trx),
  }))
  await kv.putKillSwitches(switches, revision)
}

async function syncConfigs({ sql, kv }: WorkerWorld, signal: AbortSignal): Promise<void> {
  let afterId = ''
  await inPages(signal, async () => {
    const page = await listProjectedConfigs(sql, afterId, pageSize)
    await kv.putSlugs(page)
    await kv.putConfigs(page)
    afterId = page.at(-1)?.projectId ?? ''
    return page.length > 0
  })
}

async function syncProviderKeys({ sql, kv }: WorkerWorld, signal: AbortSignal): Promise<void> {
  let afterId = ''
  await inPages(signal, async () => {
    const page = await listProjectedProviderKeys(sql, afterId, pageSize)
    await Promise.all(page.map(({ tenantId, ...keys }) => kv.putProviderKeys(tenantId, keys)))
    afterId = page.at(-1)?.tenantId ?? ''
    return page.length > 0
  })
}

async function syncKeySets({ sql, kv }: WorkerWorld, signal: AbortSignal): Promise<void> {
  let afterId = ''
  await inPages(signal, async () => {
    const page = await listProjectedKeySets(sql, afterId, pageSize)
    await Promise.all(page.map(({ projectId, ...keySet }) => kv.putKeySet(projectId, keySet)))
    afterId = page.at(-1)?.projectId ?? ''
    return page.length > 0
  })
}

/** An answer's row and its settlement come from two processes: by then the later of them has come too. */
const settledMs = 3_000

/** The day's counters never fall below what the rows say, so that an emptied store gives no project its tokens back. */
async function syncSpend({ sql, kv, now }: WorkerWorld, signal: AbortSignal, hadLostNothing: boolean): Promise<void> {
  const day = new Date(now()).toISOString().slice(0, 10)
  const pages: Awaited<ReturnType<typeof listSpend>>[] = []
  for (let afterId = ''; !signal.aborted; ) {
    const page = await listSpend(sql, day, afterId, pageSize)
    if (page.length === 0) break
    pages.push(page)
    afterId = page.at(-1)?.projectId ?? ''
  }
  // What is not settled yet would be counted twice, by the row now and by the settlement then.
  if (hadLostNothing && kv.kind === 'redis' && pages.length > 0) await pause(settledMs, signal)
  for (const page of pages) if (!signal.aborted) await kv.restoreSpend(page)
}
