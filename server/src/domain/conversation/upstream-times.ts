// How long an upstream may take, be it a provider or the service at INFERENCE_URL. Knows no clock.

export interface UpstreamTimes {
  /** To the first byte of an answer. */
  timeoutMs: number
  /** Between two bytes. */
  idleTimeoutMs: number
  /** From the first try to the end of the answer, however steadily its bytes come. */
  totalTimeoutMs: number
}

const plainTotalMs = 300_000

/**
 * A plain answer shows nothing until it is whole, so nobody waits for it as long as for a stream. An operator who lets the
 * first byte take longer means plain answers: providers send them in one piece.
 */
export function totalMsOf({ timeoutMs, totalTimeoutMs }: UpstreamTimes, isStream: boolean): number {
  return isStream ? totalTimeoutMs : Math.min(totalTimeoutMs, Math.max(plainTotalMs, timeoutMs))
}
