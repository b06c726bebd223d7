// Waits for a client that reads slower than its answer arrives, and closes the connection of a client that reads
// nothing for the idle timeout.

import type { PlaneResponse } from '../http/exchange.ts'

/** Uses the response's own timeout: it counts what the kernel accepts, and closes the connection by itself. */
export class ClientBackpressure {
  readonly #response: PlaneResponse
  readonly #timeoutMs: number
  #onDrain: (() => void) | null = null

  constructor(response: PlaneResponse, timeoutMs: number) {
    this.#response = response
    this.#timeoutMs = timeoutMs
  }

  /** Calls back once the response accepts more. A later callback replaces an earlier one. */
  wait(onDrain: () => void): void {
    if (this.#onDrain === null) {
      this.#response.setTimeout(this.#timeoutMs)
      this.#response.once('drain', () => this.#drained())
    }
    this.#onDrain = onDrain
  }

  /** The callback is not needed any more. */
  stop(): void {
    this.#onDrain = null
  }

  #drained(): void {
    const resume = this.#onDrain
    if (resume === null) return
    this.#onDrain = null
    this.#response.setTimeout(0)
    resume()
  }
}
