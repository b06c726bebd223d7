// Restores one text that arrives in pieces. Must hold back the end of a piece only while it may become a token of this
// request.

import type { TokenReader } from './read-token.ts'

/** Writes a value in the encoding of its destination. */
export type Render = (value: string) => string

export class Carry {
  readonly #reader: TokenReader
  readonly #render: Render
  #held = ''

  constructor(reader: TokenReader, render: Render) {
    this.#reader = reader
    this.#render = render
  }

  /** Returns the text that can be sent now. */
  push(piece: string): string {
    return this.#take(piece, false)
  }

  /** Call this at the end: an unfinished token is returned unchanged, never guessed. */
  flush(): string {
    return this.#held === '' ? '' : this.#take('', true)
  }

  #take(piece: string, isWhole: boolean): string {
    const text = this.#held === '' ? piece : this.#held + piece
    let restored = ''
    let restoredTo = 0
    let at = 0
    while (at < text.length) {
      const reading = this.#reader.mayStart(text.charCodeAt(at)) ? this.#reader.read(text, at, isWhole) : null
      if (reading === 'open') break
      if (reading === null) {
        at++
        continue
      }
      restored += text.slice(restoredTo, reading.start) + this.#render(reading.value)
      at = restoredTo = reading.end
    }
    this.#held = text.slice(at)
    return restoredTo === 0 && at === text.length ? text : restored + text.slice(restoredTo, at)
  }
}
