// Writes the rows of the request log of this process, in batches. While the database is unavailable, they wait in
// memory: up to a number of rows, since nothing depends on them.

import { createRowBuffer, type RowWriter } from '../../collections/row-buffer.ts'
import { writeApart } from '../../collections/write-apart.ts'
import type { Log } from '../../domain/log.ts'
import type { Metrics } from '../../domain/metrics.ts'
import type { RequestRecord } from '../../domain/requests/request-record.ts'
import { isUnavailable } from '../database-errors.ts'
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

  function reject(count: number, why: { request_id?: string; error?: unknown } = {}): void {
    if (count > 0) log.error('rows of requests cannot be stored', { count, ...why })
    metrics.requestRows('dropped', count)
  }

  /** Returns the rows that failed in an outage. */
  async function writeParts(batch: readonly RequestRecord[]): Promise<RequestRecord[]> {
    let failure: unknown = null
    const rejected: string[] = []
    const left = await writeApart(batch, {
      async write(rows) {
        reject(await writer.write(rows))
        metrics.requestRows('written', rows.length)
      },
      isOutage(error) {
        failure = error
        return isUnavailable(error)
      },
      onRejected: ({ id }) => void rejected.push(id),
    })
    const [first] = rejected
    if (first !== undefined) reject(rejected.length, { request_id: first, error: failure })
    return left
  }

  const pausing: RowWriter<RequestRecord> = {
    async write(batch) {
      try {
        const dropped = await writer.write(batch)
        metrics.requestRows('written', batch.length)
        const [oldest] = batch
        if (oldest !== undefined) metrics.requestRowsDelayed(now() - oldest.at - oldest.latencyMs)
        if (dropped > 0) reject(dropped)
        failures = 0
        return []
      } catch (error) {
        if (!isUnavailable(error)) return await writeParts(batch)
        failures++
        log.warn('rows of requests could not be written', { count: batch.length, error })
        return batch
      }
    },
    pauseMs: () => (failures === 0 ? null : Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1))),
  }
  const onDrop = () => metrics.requestRows('dropped', 1)
  const buffer = createRowBuffer<RequestRecord>({ writer: pausing, maxWaiting, onDrop })
  return {
    add: buffer.add,
    flush: buffer.flush,
    async stop() {
      const lost = await buffer.stop()
      if (lost > 0) log.error('rows of requests lost at shutdown', { count: lost })
    },
  }
}
