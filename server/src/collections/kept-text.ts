// A text that comes in pieces and is kept whole. Built by `+=` alone it would be a tree of its pieces, with eight times
// the memory.

/** Pieces are joined this many at a time. */
const maxPieces = 256

export class KeptText {
  #joined = ''
  #pieces: string[] = []

  add(piece: string): void {
    this.#pieces.push(piece)
    if (this.#pieces.length >= maxPieces) this.#join()
  }

  whole(): string {
    this.#join()
    return this.#joined
  }

  #join(): void {
    this.#joined += this.#pieces.join('')
    this.#pieces = []
  }
}
