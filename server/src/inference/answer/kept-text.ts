// A text that is kept while it comes in pieces. Knows nothing of what it says.

/** Pieces are joined this many at a time. */
const maxPieces = 256

/** A text put together by `+=` alone is a tree of its pieces, and takes eight times the room of its characters. */
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
