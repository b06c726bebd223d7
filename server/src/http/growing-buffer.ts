// Collects the pieces of a body in its own memory: at most twice the bytes plus 64 KB, however small the pieces are.
// Must not keep a piece: each is an object and an allocation of a hundred bytes or more.
import type { BodyMemory } from './body-memory.ts'

const firstBytes = 1024
/** The first block doubles up to this size. */
const maxDoubledBytes = 128 * 1024
/** Then blocks of this size are added, and nothing is copied until the end. */
const blockBytes = 64 * 1024
const nothing = Buffer.alloc(0)

export class GrowingBuffer {
  readonly #maxBytes: number
  readonly #memory: BodyMemory | null
  /** The blocks before the last one. */
  #full: Buffer[] = []
  #fullBytes = 0
  #last: Buffer = nothing
  #used = 0

  /** `maxBytes` may be the exact length if that is known. */
  constructor(maxBytes: number, memory: BodyMemory | null = null) {
    this.#maxBytes = maxBytes
    this.#memory = memory
  }

  get length(): number {
    return this.#fullBytes + this.#used
  }

  /** Memory in use, including free space. */
  get heldBytes(): number {
    return this.#fullBytes + this.#last.length
  }

  /** Returns false if the piece does not fit, and keeps its beginning, or if `memory` is exhausted. */
  add(piece: Uint8Array): boolean {
    const size = Math.min(piece.length, this.#maxBytes - this.length)
    if (size > this.#last.length - this.#used && !this.#grow(size)) return false
    const fitting = Math.min(size, this.#last.length - this.#used)
    this.#last.set(fitting === piece.length ? piece : piece.subarray(0, fitting), this.#used)
    this.#used += fitting
    if (fitting < size)
      this.#fill(Buffer.allocUnsafeSlow(this.#blockFor(size - fitting)), piece.subarray(fitting, size))
    return size === piece.length
  }

  /** Returns everything in one block, which remains this buffer's memory. */
  whole(): Buffer {
    if (this.#full.length > 0) {
      const joined = Buffer.allocUnsafeSlow(this.length)
      let at = 0
      for (const block of this.#full) at += block.copy(joined, at)
      this.#last.copy(joined, at, 0, this.#used)
      this.#hold(joined, joined.length)
    }
    return this.#last.subarray(0, this.#used)
  }

  /** Drops the content. A block returned by `whole` stays readable. */
  release(): void {
    this.#hold(nothing, 0)
  }

  #hold(block: Buffer, used: number): void {
    this.#memory?.change(this.heldBytes, block.length)
    this.#full = []
    this.#fullBytes = 0
    this.#last = block
    this.#used = used
  }

  /** Makes space for `size` more bytes, or counts them if they get a block of their own. */
  #grow(size: number): boolean {
    const capacity = this.#last.length
    const needed = this.#used + size
    if (this.#full.length > 0 || (capacity > 0 && needed > maxDoubledBytes)) {
      return this.#mayHold(this.heldBytes + this.#blockFor(needed - capacity))
    }
    const grown = Math.max(needed, Math.min(Math.max(2 * capacity, firstBytes), maxDoubledBytes, this.#maxBytes))
    if (!this.#mayHold(grown)) return false
    const block = Buffer.allocUnsafeSlow(grown)
    this.#last.copy(block, 0, 0, this.#used)
    this.#last = block
    return true
  }

  #mayHold(bytes: number): boolean {
    return this.#memory?.change(this.heldBytes, bytes) !== false
  }

  #fill(block: Buffer, piece: Uint8Array): void {
    this.#full.push(this.#last)
    this.#fullBytes += this.#last.length
    block.set(piece)
    this.#last = block
    this.#used = piece.length
  }

  #blockFor(size: number): number {
    return Math.max(size, Math.min(blockBytes, this.#maxBytes - this.heldBytes))
  }
}
