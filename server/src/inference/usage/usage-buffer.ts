// Buffers rows of usage, to write them in batches.

import { createRowBuffer } from '../../collections/row-buffer.ts'
import type { UsageRecord, UsageRecorder } from './record-usage.ts'
import { createUsageWriter, type UsageWriterDependencies } from './usage-writer.ts'

export interface UsageBuffer extends UsageRecorder {
  /** Resolves once the rows added so far are written, or cannot be written just now. */
  flush(): Promise<void>
  /** Writes the waiting rows, as long as the database is available. */
  stop(): Promise<void>
}

/** While the database is unavailable. Further rows are dropped and counted. */
const maxWaiting = 100_000

export function createUsageBuffer(dependencies: UsageWriterDependencies): UsageBuffer {
  const writer = createUsageWriter(dependencies)
  const buffer = createRowBuffer<UsageRecord>({ writer, maxWaiting, onDrop: createDropCount(dependencies) })
  return {
    add: buffer.add,
    flush: buffer.flush,
    async stop() {
      const lost = await buffer.stop()
      if (lost > 0) dependencies.log.error('usage lost at shutdown', { count: lost })
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
