// Works on what a replica claims, several at a time: what responded quickly last time, and apart from it what did not,
// so that slow ones do not delay the others.
import { pause } from './pause.ts'

const maxInProgress = { fast: 96, slow: 32 }

interface LaneWork<Claimed extends { isSlow: boolean }> {
  pollMs: number
  claim(wanted: { maxFast: number; maxSlow: number }): Promise<Claimed[]>
  /** Must not throw. */
  work(claimed: Claimed): Promise<void>
}

/** Runs until it is stopped: one slow claim must not delay the others. */
export async function runInLanes<Claimed extends { isSlow: boolean }>(
  { pollMs, claim, work }: LaneWork<Claimed>,
  signal: AbortSignal,
): Promise<void> {
  const fast = new Set<Promise<void>>()
  const slow = new Set<Promise<void>>()
  try {
    while (!signal.aborted) {
      const maxFast = maxInProgress.fast - fast.size
      const maxSlow = maxInProgress.slow - slow.size
      for (const claimed of await claim({ maxFast, maxSlow })) {
        const runs = claimed.isSlow ? slow : fast
        const run = work(claimed).finally(() => runs.delete(run))
        runs.add(run)
      }
      await pause(pollMs, signal)
    }
  } finally {
    await Promise.all([...fast, ...slow])
  }
}
