// The control that deadlines of the contract are compared with: how much slower than alone a program runs here, right now.
// Deadlines hold for a machine with a processor to spare; where others take most of it, they are longer by as much.

const spinMs = 100

/** At least 1: how many times longer than its processor time some work takes. */
function measureSlowness(): number {
  const begun = performance.now()
  const cpu = process.threadCpuUsage()
  for (;;) {
    const { user, system } = process.threadCpuUsage(cpu)
    const usedMs = (user + system) / 1000
    if (usedMs >= spinMs) return Math.max(1, (performance.now() - begun) / usedMs)
  }
}

/** The bound for a deadline of the contract: the deadline itself on a calm machine. */
export function roomFor(deadlineMs: number): number {
  return deadlineMs * measureSlowness()
}

/** The processor time that some work of this thread takes, which does not depend on what else runs here. */
export function processorMsOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** The longest that some work keeps the event loop from its next turn, in processor time of this thread. */
export async function longestHoldMs(work: () => Promise<unknown>): Promise<number> {
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
