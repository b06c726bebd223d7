// Buffers rows of usage and writes them in batches; the first row after a pause is written at once. A killed
// process that writes by itself loses at most the rows of the last tenth of a second.

import type { UsageRecord, UsageRecorder } from './record-usage.ts'
import { createUsageWriter, type UsageWriterDependencies } from './usage-writer.ts'

export interface UsageBuffer extends UsageRecorder {
  /** Resolves once the rows added so far are written, or cannot be written just now. */
  flush(): Promise<void>
  /** Writes the waiting rows, as long as the database is available. */
  stop(): Promise<void>
}

const batchMs = 100
/** Larger batches cost less for each row, but preparing one holds the event loop: this many take 2 ms. */
const batchRows = 512
/** While the database is unavailable. Further rows are dropped and counted. */
const maxWaiting = 100_000
const triesAtTheEnd = 3

export function createUsageBuffer(dependencies: UsageWriterDependencies): UsageBuffer {
  const writer = createUsageWriter(dependencies)
  let waiting: UsageRecord[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | null = null
  let writtenAt = Number.NEGATIVE_INFINITY
  const drop = createDropCount(dependencies)

  function pauseMs(): number {
    const isFull = waiting.length >= batchRows
    return writer.pauseMs() ?? (isFull ? 0 : Math.max(0, writtenAt + batchMs - performance.now()))
  }

  function schedule(): void {
    if (timer === undefined && writing === null && waiting.length > 0) timer = setTimeout(writeOnce, pauseMs())
  }

  /** One batch at a time. */
  function writeOnce(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing ??= writeBatch().finally(() => {
      writing = null
      writtenAt = performance.now()
      schedule()
    })
    return writing
  }

  async function writeBatch(): Promise<void> {
    const batch = waiting.slice(0, batchRows)
    const left = await writer.write(batch)
    waiting = [...left, ...waiting.slice(batch.length)]
  }

  return {
    add(record) {
      if (waiting.length < maxWaiting) waiting.push(record)
      else drop()
      schedule()
      return null
    },
    async flush() {
      await writing
      for (let left = waiting.length; left > 0 && waiting.length > 0; left -= batchRows) {
        await writeOnce()
        if (writer.pauseMs() !== null) return
      }
    },
    async stop() {
      await writing
      for (let tries = 0; waiting.length > 0 && tries < triesAtTheEnd; ) {
        await writeOnce()
        if (writer.pauseMs() !== null) tries++
      }
      clearTimeout(timer)
      if (waiting.length > 0) dependencies.log.error('usage lost at shutdown', { count: waiting.length })
    },
  }
}

/** Logs one drop in a thousand. */
function createDropCount({ metrics, log }: UsageWriterDependencies): () => void {
  let dropped = 0
  return () => {
    metrics.usageRows('dropped', 1)
    if (dropped++ % 1_000 === 0) log.error('usage dropped', { count: dropped })
  }
}
