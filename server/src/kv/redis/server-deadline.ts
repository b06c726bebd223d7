// Until when, by the store's own clock, the caller of a command waits for its answer: the script refuses what it reads later,
// because Redis was paused or the network held the command back. Knows no command.

/** The last part of the wait belongs to the answer on its way back. */
const readShare = 0.9
/** A clock that falls back by more was set. */
const clockStepMs = 2_000

export type ServerDeadline = ReturnType<typeof createServerDeadline>

export function createServerDeadline(timeoutMs: number, now: () => number = () => performance.now()) {
  /** The server's clock minus ours; null until the server has answered once. */
  let offset: number | null = null
  return {
    /** Empty while the server's clock is not known: then there is no deadline. */
    latest: (): number | '' => (offset === null ? '' : Math.floor(now() + offset + readShare * timeoutMs)),
    /** What the server's clock showed when it answered. */
    learn(serverNow: number): void {
      // Too low by the time that the answer took: the highest is closest, and falls slowly as clocks drift.
      const sample = serverNow - now()
      const isStep = offset === null || sample < offset - clockStepMs
      offset = isStep ? sample : Math.max(sample, (offset ?? sample) - 1)
    },
  }
}
