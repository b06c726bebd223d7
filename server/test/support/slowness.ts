// Measures how much other processes slow this one down at the moment. The contract's deadlines hold for a machine with
// a free processor; on a busy machine, tests extend them by this factor.

import { GCProfiler, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const spinMs = 100

/** Wall-clock time divided by processor time of some work; at least 1. */
function measureSlowness(): number {
  const begun = performance.now()
  const cpu = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(cpu)
    const usedMs = (user + system) / 1000
    if (usedMs >= spinMs) return Math.max(1, (performance.now() - begun) / usedMs)
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
 * Fails unless four times as much work takes about four times the processor time. `prepare` makes the work of a size;
 * a measurement that was disturbed is repeated, and the least of each size counts.
 */
export function expectLinear(prepare: (size: number) => () => void, size = 25_000): void {
  let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let attempt = 0; attempt < 6; attempt++) {
    few = Math.min(few, alone(prepare(size)))
    many = Math.min(many, alone(prepare(4 * size)))
    if (many <= 4.5 * Math.max(few, noiseMs)) return
  }
  throw new Error(`${size} take ${few} ms of processor time, four times as many take ${many} ms`)
}

/**
 * Without the collections of the memory: the few objects of a small size are dropped where they were made, those of a
 * size four times as large are also moved once or twice, so that collections alone grow by more than four times.
 */
function alone(work: () => void): number {
  collectWhatIsLeft()
  const collections = new GCProfiler()
  collections.start()
  const spentMs = processorMsOf(work)
  const collectedUs = collections.stop().statistics.reduce((sum, { cost }) => sum + cost, 0)
  return Math.max(0, spentMs - collectedUs / 1000)
}

/** What other tests have left would otherwise be collected during the work that is measured. */
export function collectWhatIsLeft(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
