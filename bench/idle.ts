// Waits until programs use no processor time. Some go on for seconds with requests that their clients have left, and
// would disturb the next round.
import { setTimeout as delay } from 'node:timers/promises'
import { readCpuMicros, tickMicros } from './process.ts'

interface Watch {
  /** Microseconds of processor time that a process has used. */
  readMicros: (pid: number) => number
  /** Milliseconds of a monotonic clock. */
  now: () => number
  sleep: (ms: number) => Promise<unknown>
}

const thisMachine: Watch = { readMicros: readCpuMicros, now: () => performance.now(), sleep: delay }

export const quietMs = 500
const maxWaitMs = 60_000
const stepMs = 50
/** A runtime's timers use a little all the time; the kernel shows it as a whole tick now and then. */
const allowedMicros = tickMicros

/** Returns the processes that are still busy after a minute; none if all were idle for half a second. */
export async function waitUntilIdle(pids: readonly number[], watch: Watch = thisMachine): Promise<number[]> {
  const began = watch.now()
  let quietSince = began
  let used = pids.map(watch.readMicros)
  for (;;) {
    await watch.sleep(stepMs)
    const busy = pids.filter((pid, at) => watch.readMicros(pid) - used[at]! > allowedMicros)
    const at = watch.now()
    if (busy.length === 0 && at - quietSince >= quietMs) return []
    if (at - began >= maxWaitMs) return busy
    if (busy.length === 0) continue
    used = pids.map(watch.readMicros)
    quietSince = at
  }
}
