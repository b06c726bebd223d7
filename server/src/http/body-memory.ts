// Counts the memory that the bodies of requests hold in this process, and bounds their sum. Knows no request.

/**
 * Not counted of each body: so a request of the usual size is never refused for what others send, and the sum is bounded by
 * the number of connections beside its limit.
 */
const uncountedBytes = 16 * 1024

export class BodyMemory {
  readonly #maxBytes: number
  #counted = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** For a body that held `before` bytes and is to hold `after`. False, and nothing counted, where there is no room for more. */
  change(before: number, after: number): boolean {
    const more = Math.max(0, after - uncountedBytes) - Math.max(0, before - uncountedBytes)
    if (more > 0 && this.#counted + more > this.#maxBytes) return false
    this.#counted += more
    return true
  }
}
