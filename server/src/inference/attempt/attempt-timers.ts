// The timers of one attempt at a provider: how long it may send nothing, or bytes without an event, and how long a
// stream may take to begin.

import type { AttemptLimits } from './attempt.ts'

/** The provider may take this long to end its body after the last event, so that the connection can be reused. */
const lingerMs = 1_000

/**
 * Bytes without an event (comments, pings, white space, part of an event) keep a call open for at most this many idle
 * timeouts. By then the client has given up.
 */
const maxIdleTimes = 10

export class AttemptTimers {
  readonly #expire: (reason: string) => void
  readonly #idleTimeoutMs: number
  #silence: NodeJS.Timeout | undefined
  #firstToken: NodeJS.Timeout | undefined
  /** When the first bytes without an event arrived; 0 if the last bytes contained one. */
  #quietSince = 0

  constructor(limits: AttemptLimits, idleTimeoutMs: number, expire: (reason: string) => void) {
    const { timeoutMs, firstTokenTimeoutMs } = limits
    this.#expire = expire
    this.#idleTimeoutMs = idleTimeoutMs
    this.#silence = setTimeout(expire, timeoutMs, 'silence')
    if (firstTokenTimeoutMs !== null) this.#firstToken = setTimeout(expire, firstTokenTimeoutMs, 'first_token')
  }

  /** The head has arrived, or the answer goes on after a pause. */
  startIdle(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(this.#expire, this.#idleTimeoutMs, 'silence')
  }

  noteBytes(): void {
    this.#silence?.refresh()
  }

  noteEvents(): void {
    this.#quietSince = 0
  }

  /** The bytes contained no event. */
  noteQuiet(): void {
    const now = performance.now()
    if (this.#quietSince === 0) this.#quietSince = now
    else if (now - this.#quietSince >= maxIdleTimes * this.#idleTimeoutMs) this.#expire('no_progress')
  }

  noteBegun(): void {
    clearTimeout(this.#firstToken)
    this.#firstToken = undefined
  }

  /** The answer is complete: closes the connection unless the provider ends its body in time. */
  linger(close: () => void): void {
    this.#silence = setTimeout(close, lingerMs).unref()
  }

  /** A timer keeps the whole request in memory until it fires. */
  stop(): void {
    clearTimeout(this.#silence)
    this.#silence = undefined
    this.noteBegun()
  }
}
