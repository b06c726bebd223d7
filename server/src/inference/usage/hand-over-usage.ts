// Lets the process of this machine that owns the embedded database write the usage rows of another one. It has a row
// before the last byte of its answer is sent, so that the process that answered loses none when it is killed.

import type { Link } from '../../sockets/link.ts'
import type { UsageRecord } from './record-usage.ts'
import type { UsageBuffer } from './usage-buffer.ts'

/** For the process that answers. */
export function handOverUsage(link: Link): UsageBuffer {
  return {
    add: record => link.deliver('addUsage', [record]),
    async flush() {
      await link.call('flushUsage', [])
    },
    stop: () => Promise.resolve(),
  }
}

/** For the process that writes. */
export function takeUsage(link: Link, buffer: Pick<UsageBuffer, 'add' | 'flush'>): void {
  link.serve({
    addUsage: (record: UsageRecord) => void buffer.add(record),
    flushUsage: () => buffer.flush(),
  })
}
