// Adds the events of meters to their queue, and deletes those that nothing needs any more. Without a meter it reads
// that there is none.

import { dayMs } from '../../domain/day.ts'
import { daysOfMeterEvents } from '../../domain/meters/meter.ts'
import type { Metrics } from '../../domain/metrics.ts'
import {
  addMissedEvents,
  addRecentEvents,
  deleteAllEvents,
  deleteSentEvents,
  dropOldEvents,
  findMeteredSince,
} from '../../storage/meters/add-events.ts'
import { listMeters, removeMeter } from '../../storage/meters/meter-rows.ts'
import { deleteCustomers, type MeterRef } from '../../storage/meters/subjects.ts'
import { inPages } from '../in-pages.ts'
import type { Job, WorkerDependencies } from '../job.ts'

/** Statements of others wait for these. */
const rowsAtOnce = 2_000
const deletedAtOnce = 500
const metersAtOnce = 200

export const queueMeterEvents: Job = {
  name: 'queue-meter-events',
  everyMs: 2_000,
  runsBeforeReady: false,
  async run({ sql, now }, signal) {
    const since = await findMeteredSince(sql)
    if (since === null) return
    await inPages(signal, () => addRecentEvents(sql, since, now(), rowsAtOnce))
    await inPages(signal, () => addMissedEvents(sql, since, now(), rowsAtOnce))
  },
}

const keptMs = daysOfMeterEvents * dayMs
/** By then, everything that saw the meter has ended. */
const settledMs = 2 * 60 * 1000

export function deleteMeterEvents(metrics: Pick<Metrics, 'meterEvents'>): Job {
  return {
    name: 'delete-meter-events',
    everyMs: 60_000,
    runsBeforeReady: false,
    async run(dependencies, signal) {
      let afterId = ''
      await inPages(signal, async () => {
        const meters = await listMeters(dependencies.sql, afterId, metersAtOnce)
        for (const { id, tenant_id: tenantId, deleted_at: deletedAt } of meters) {
          if (deletedAt === null) await deleteOfMeter(dependencies, metrics, { tenantId, meterId: id }, signal)
          else await deleteWhole(dependencies, { tenantId, meterId: id, deletedAt }, signal)
        }
        afterId = meters.at(-1)?.id ?? ''
        return meters.length === metersAtOnce
      })
    },
  }
}

async function deleteOfMeter(
  { sql, now, log }: WorkerDependencies,
  metrics: Pick<Metrics, 'meterEvents'>,
  meter: MeterRef,
  signal: AbortSignal,
): Promise<void> {
  await inPages(signal, async () => (await deleteSentEvents(sql, meter, deletedAtOnce)) === deletedAtOnce)
  let count = 0
  await inPages(signal, async () => {
    const dropped = await dropOldEvents(sql, meter, now() - keptMs, deletedAtOnce)
    count += dropped
    return dropped >= deletedAtOnce
  })
  if (count === 0) return
  metrics.meterEvents('dropped', count)
  log.error('meter events dropped, the receiver was unavailable for too long', { tenant_id: meter.tenantId, count })
}

async function deleteWhole(
  { sql, now }: WorkerDependencies,
  { deletedAt, ...meter }: MeterRef & { deletedAt: number },
  signal: AbortSignal,
): Promise<void> {
  await inPages(signal, async () => (await deleteAllEvents(sql, meter, deletedAtOnce)) === deletedAtOnce)
  await inPages(signal, async () => (await deleteCustomers(sql, meter, deletedAtOnce)) === deletedAtOnce)
  if (!signal.aborted && deletedAt < now() - settledMs) await removeMeter(sql, meter.meterId)
}
