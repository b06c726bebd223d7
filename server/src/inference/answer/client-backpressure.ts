// Sees to a client that reads slower than its answer comes: tells when there is room again, and gives up on one that takes
// nothing for as long as a provider may be silent. Knows nothing of what is written.

import type { PlaneResponse } from '../../http/exchange.ts'

/** By the runtime's own timeout: it counts what the kernel takes, and closes the connection where nobody else does. */
export class ClientBackpressure {
  readonly #response: PlaneResponse
  readonly #patienceMs: number
  #onRoom: (() => void) | null = null

  constructor(response: PlaneResponse, patienceMs: number) {
    this.#response = response
    this.#patienceMs = patienceMs
  }

  /** Calls back once the response takes more. */
  wait(onRoom: () => void): void {
    if (this.#onRoom === null) {
      this.#response.setTimeout(this.#patienceMs)
      this.#response.once('drain', () => this.#drained())
    }
    this.#onRoom = onRoom
  }

  /** All is written, and nobody waits for room any more. What is still there must be taken. */
  stop(): void {
    this.#onRoom = null
    if (!this.#response.writableFinished) this.#response.setTimeout(this.#patienceMs)
  }

  #drained(): void {
    const resume = this.#onRoom
    if (resume === null) return
    this.#onRoom = null
    this.#response.setTimeout(0)
    resume()
  }
}
