// The timers of one attempt at a provider: how long it may send nothing, and how long a stream may take to begin.

import type { AttemptLimits } from './attempt.ts'

/** The provider may take this long to end its body after the last event, so that the connection can be reused. */
const lingerMs = 1_000

export class AttemptTimers {
  readonly #expire: (reason: string) => void
  #silence: NodeJS.Timeout | undefined
  #firstToken: NodeJS.Timeout | undefined

  constructor({ timeoutMs, firstTokenTimeoutMs }: AttemptLimits, expire: (reason: string) => void) {
    this.#expire = expire
    this.startSilence(timeoutMs)
    if (firstTokenTimeoutMs !== null) this.#firstToken = setTimeout(expire, firstTokenTimeoutMs, 'first_token')
  }

  startSilence(timeoutMs: number): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(this.#expire, timeoutMs, 'silence')
  }

  noteBytes(): void {
    this.#silence?.refresh()
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
