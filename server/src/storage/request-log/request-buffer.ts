// Writes the rows of the request log of this process, in batches. While the database is unavailable, they wait in
// memory: up to a number of rows, since nothing depends on them.

import { createRowBuffer, type RowWriter } from '../../collections/row-buffer.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { RequestRecord } from '../../domain/requests/request-record.ts'
import type { RequestDays } from './request-days.ts'
import { createRequestWriter } from './write-requests.ts'

export interface RequestBuffer {
  add(record: RequestRecord): void
  flush(): Promise<void>
  stop(): Promise<void>
}

interface RequestBufferDependencies {
  requestDays: RequestDays
  metrics: Pick<Metrics, 'requestRows' | 'requestRowsDelayed'>
  now: () => number
  log: Log
}

const maxWaiting = 20_000
const firstPauseMs = 200
const maxPauseMs = 5_000

export function createRequestBuffer(dependencies: RequestBufferDependencies): RequestBuffer {
  const { requestDays, metrics, now, log } = dependencies
  const writer = createRequestWriter(requestDays)
  let failures = 0

  function drop(rows: number): void {
    metrics.requestRows('dropped', rows)
  }
  const pausing: RowWriter<RequestRecord> = {
    async write(batch) {
      try {
        await writer.write(batch)
        metrics.requestRows('written', batch.length)
        const [oldest] = batch
        if (oldest !== undefined) metrics.requestRowsDelayed(now() - oldest.at - oldest.latencyMs)
        failures = 0
        return []
      } catch (error) {
        failures++
        log.warn('rows of requests could not be written', { count: batch.length, error })
        const isOutage = error instanceof Refusal && error.code === 'database_unavailable'
        if (isOutage) return batch
        drop(batch.length)
        return []
      }
    },
    pauseMs: () => (failures === 0 ? null : Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1))),
  }
  const buffer = createRowBuffer<RequestRecord>({ writer: pausing, maxWaiting, onDrop: () => drop(1) })
  return {
    add: buffer.add,
    flush: buffer.flush,
    async stop() {
      const lost = await buffer.stop()
      if (lost > 0) log.error('rows of requests lost at shutdown', { count: lost })
    },
  }
}
