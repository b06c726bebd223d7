// Measures how much other processes slow this one down. The contract's deadlines hold for a machine with a free
// processor; on a busy machine, tests extend them by this factor.

import { availableParallelism, loadavg } from 'node:os'
import { GCProfiler, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const spinMs = 100

/**
 * At least 1: the larger of the slowness now and that of the last minute, which is the number of runnable processes for
 * each core. What is asserted ended before this measurement, and other processes may have ended with it.
 */
function measureSlowness(): number {
  const [lastMinute = 0] = loadavg()
  return Math.max(1, lastMinute / availableParallelism(), measureSlownessNow())
}

/** Wall-clock time divided by processor time of some work. */
function measureSlownessNow(): number {
  const begun = performance.now()
  const cpu = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(cpu)
    const usedMs = (user + system) / 1000
    if (usedMs >= spinMs) return (performance.now() - begun) / usedMs
  }
}

/** The bound to assert for a deadline of the contract: the deadline itself on an idle machine. */
export function roomFor(deadlineMs: number): number {
  return deadlineMs * measureSlowness()
}

/** The processor time of some work in this thread, which does not depend on other processes. */
export function processorMsOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Of the reference work, on the processor for which the contract's times hold, without other processes. */
const referenceMs = 20

/** Its mix of arithmetic and memory is that of what tests measure. */
function doReferenceWork(): void {
  const lists = new Map<number, number[]>()
  for (let at = 0; at < 400_000; at++) {
    const key = (Math.imul(at, 0x9e3779b1) >>> 0) % 5_000
    const list = lists.get(key)
    if (list === undefined) lists.set(key, [at])
    else list.push(at)
  }
}

/** At least 1: processes that share a core and its caches make the processor time of others longer, too. */
export function processorSlowness(): number {
  // The first runs are slower: the runtime has not optimised the work yet.
  const runs = [1, 2, 3].map(() => processorMsOf(doReferenceWork))
  return Math.max(1, Math.min(...runs) / referenceMs)
}

/** The longest time for which some work blocks the event loop, in processor time of this thread. */
export async function longestHoldMs(work: () => Promise<unknown>): Promise<number> {
  collectWhatIsLeft()
  let longestMs = 0
  let isDone = false
  let before = process.threadCpuUsage()
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    before = process.threadCpuUsage()
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    await work()
  } finally {
    isDone = true
    turn()
  }
  return longestMs
}

/** What the runtime's own work adds to a measurement: below it, a ratio says nothing. */
const noiseMs = 30

/**
 * Fails when four times as much work takes much more than four times the processor time. `prepare` makes the work of a
 * size. The large piece is compared with four small ones that are done one after the other, which need as much memory:
 * the first use of memory costs as much as the work. The half more that is allowed is for the processor's caches, which
 * hold the small pieces but not the large one. Work that grows with the square of its size takes four times as long as
 * the four small pieces. A measurement that was disturbed is repeated.
 */
export function expectLinear(prepare: (size: number) => () => void, size = 25_000): void {
  const measured: string[] = []
  for (let attempt = 0; attempt < 6; attempt++) {
    const pieces = [prepare(size), prepare(size), prepare(size), prepare(size)]
    const fourSmallMs = alone(() => {
      for (const piece of pieces) piece()
    })
    const largeMs = alone(prepare(4 * size))
    if (largeMs <= 1.5 * Math.max(fourSmallMs, 4 * noiseMs)) return
    measured.push(`${fourSmallMs.toFixed(1)} and ${largeMs.toFixed(1)} ms`)
  }
  throw new Error(`Four times ${size} and ${4 * size} take, of processor time: ${measured.join('; ')}`)
}

/**
 * Without the collections of the memory: the few objects of a small size are dropped where they were made, those of a
 * size four times as large are also moved once or twice, so that collections alone grow by more than four times.
 */
function alone(work: () => void): number {
  // Marking in steps would be counted as work: only the pauses of the collector are reported.
  setFlagsFromString('--no-incremental-marking')
  collectWhatIsLeft()
  const collections = new GCProfiler()
  collections.start()
  const begun = performance.now()
  const spentMs = processorMsOf(work)
  const lastedMs = performance.now() - begun
  const pausedMs = collections.stop().statistics.reduce((sum, { cost }) => sum + cost, 0) / 1000
  setFlagsFromString('--incremental-marking')
  // Pauses are reported in wall-clock time, of which other processes have their part.
  return spentMs * Math.max(0, 1 - pausedMs / lastedMs)
}

/** What other tests have left would otherwise be collected during the work that is measured. */
export function collectWhatIsLeft(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
