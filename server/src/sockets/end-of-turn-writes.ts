// Collects small writes until the end of the event-loop turn, or until a batch is full, and sends them back to
// back. Waking a sleeping receiver costs more than sending: the first write wakes it on another core, and the
// others arrive while it is awake. One instance for the process, since the event loop is shared.

export interface PendingWrite {
  flush(): void
}

/**
 * In a larger batch, receivers would idle while we prepare it; in a smaller one, more receivers would have gone
 * to sleep.
 */
const maxBatch = 32

/** Empty between turns. */
let queue: PendingWrite[] = []
let isScheduled = false

/** Writes in the order of the calls. */
export function writeAtEndOfTurn(pending: PendingWrite): void {
  queue.push(pending)
  if (queue.length >= maxBatch) flushQueue()
  else schedule()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(endTurn)
}

function endTurn(): void {
  isScheduled = false
  flushQueue()
}

function flushQueue(): void {
  const batch = queue
  queue = []
  let at = 0
  try {
    while (at < batch.length) batch[at++]!.flush()
  } finally {
    // A write that throws must not stop those behind it.
    if (at < batch.length) {
      queue = [...batch.slice(at), ...queue]
      schedule()
    }
  }
}
