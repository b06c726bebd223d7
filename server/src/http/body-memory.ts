// Counts the memory that request bodies hold in this process and limits their sum.

/**
 * Not counted of each body: other clients' bodies never cause the rejection of a request of usual size, and the sum is
 * still bounded by the limit plus this times the number of connections.
 */
const uncountedBytes = 16 * 1024

export class BodyMemory {
  readonly #maxBytes: number
  #counted = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * Changes a body's memory from `before` to `after` bytes. Returns false, and counts nothing, if the limit leaves no
   * space.
   */
  change(before: number, after: number): boolean {
    const more = Math.max(0, after - uncountedBytes) - Math.max(0, before - uncountedBytes)
    if (more > 0 && this.#counted + more > this.#maxBytes) return false
    this.#counted += more
    return true
  }
}
