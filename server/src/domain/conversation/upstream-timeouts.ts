// The timeouts of an upstream: a provider, or the service at INFERENCE_URL.

export interface UpstreamTimeouts {
  /** Until the first byte of a response. */
  timeoutMs: number
  /** Between two bytes. */
  idleTimeoutMs: number
  /** From the first attempt to the end of the answer, even if bytes keep arriving. */
  totalTimeoutMs: number
}

const plainTotalMs = 300_000

/**
 * Plain answers have a shorter total timeout than streams: the client sees nothing of them until they are
 * complete. A longer timeout for the first byte raises it, because providers send plain answers in one piece.
 */
export function plainTotalTimeoutOf({ timeoutMs, totalTimeoutMs }: UpstreamTimeouts): number {
  return Math.min(totalTimeoutMs, Math.max(plainTotalMs, timeoutMs))
}
