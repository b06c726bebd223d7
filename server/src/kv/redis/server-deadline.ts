// Until when, by the Redis server's clock, the caller of a command waits for the reply. A script refuses a command that
// it reads later than that, because Redis was paused or the network delayed the command.

/** The share of the timeout in which the command has to be read. The rest is for the reply's way back. */
const readShare = 0.9
/** If the server's clock falls back by more, it was set. */
const clockStepMs = 2_000

export type ServerDeadline = ReturnType<typeof createServerDeadline>

export function createServerDeadline(timeoutMs: number, now: () => number = () => performance.now()) {
  /** The server's clock minus ours; null until the server has answered once. */
  let offset: number | null = null
  return {
    /** Empty, which means no deadline, until the server's clock is known. */
    latest: (): number | '' => (offset === null ? '' : Math.floor(now() + offset + readShare * timeoutMs)),
    /** `serverNow` is what the server's clock showed when it replied. */
    learn(serverNow: number): void {
      // A sample is too low by the time that the reply took, so the highest one is closest. The offset falls slowly,
      // because clocks drift.
      const sample = serverNow - now()
      const isStep = offset === null || sample < offset - clockStepMs
      offset = isStep ? sample : Math.max(sample, (offset ?? sample) - 1)
    },
  }
}
