// Holds small messages that are ready to leave until the turn of the loop is over, or a few are together, and lets them
// leave one right behind the other: the first wakes whoever waits on another core, the others find it awake, and waking
// costs more than sending. Knows no sockets. One for the process and handed to nobody, as the loop is whose turn it ends.

export interface PendingWrite {
  depart(): void
}

/** More would leave the far ends without work while we prepare them; with fewer, more of them have gone to sleep again. */
const maxBatch = 32

/** Empty between turns. */
let due: PendingWrite[] = []
let isScheduled = false

/** In the order of the calls. */
export function writeAtEndOfTurn(departing: PendingWrite): void {
  due.push(departing)
  if (due.length >= maxBatch) departAll()
  else schedule()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(endTurn)
}

function endTurn(): void {
  isScheduled = false
  departAll()
}

function departAll(): void {
  const leaving = due
  due = []
  let at = 0
  try {
    while (at < leaving.length) leaving[at++]!.depart()
  } finally {
    // The fault of one is not that of those behind it.
    if (at < leaving.length) {
      due = [...leaving.slice(at), ...due]
      schedule()
    }
  }
}
