// Holds small messages until the end of the turn, or until a few are together, and writes them one right after the
// other: the first wakes the receiver on another core, the others find it awake, and waking costs more than sending.
// One instance for the process, since the event loop is shared.

export interface PendingWrite {
  depart(): void
}

/** With more, receivers would idle while we prepare them; with fewer, more receivers have gone back to sleep. */
const maxBatch = 32

/** Empty between turns. */
let queue: PendingWrite[] = []
let isScheduled = false

/** Writes in the order of the calls. */
export function writeAtEndOfTurn(pending: PendingWrite): void {
  queue.push(pending)
  if (queue.length >= maxBatch) flush()
  else schedule()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(endTurn)
}

function endTurn(): void {
  isScheduled = false
  flush()
}

function flush(): void {
  const batch = queue
  queue = []
  let at = 0
  try {
    while (at < batch.length) batch[at++]!.depart()
  } finally {
    // A write that throws must not stop those behind it.
    if (at < batch.length) {
      queue = [...batch.slice(at), ...queue]
      schedule()
    }
  }
}
