// Finds the end of a JSON object that arrives in pieces.

const quote = 0x22
const backslash = 0x5c
const opening = 0x7b
const closing = 0x7d

export class ObjectEnd {
  #depth = 0
  #isInString = false
  #isEscaped = false
  #hasBegun = false

  /** Whether the object is complete. */
  get isReached(): boolean {
    return this.#hasBegun && this.#depth === 0
  }

  push(piece: string): void {
    for (let at = 0; at < piece.length; at++) this.#take(piece.charCodeAt(at))
  }

  #take(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (this.#isInString && code === backslash) this.#isEscaped = true
    else if (code === quote) this.#isInString = !this.#isInString
    else if (this.#isInString) return
    else if (code === opening) {
      this.#hasBegun = true
      this.#depth++
    } else if (code === closing) this.#depth--
  }
}
