// Restores one text that comes in pieces. Holds back the end of a piece only while it may become a token of this request.

import type { TokenReader } from './read-token.ts'

/** How a value is written where it goes. */
export type Render = (value: string) => string

export class Carry {
  readonly #reader: TokenReader
  readonly #render: Render
  #held = ''

  constructor(reader: TokenReader, render: Render) {
    this.#reader = reader
    this.#render = render
  }

  /** What may be told now. */
  push(piece: string): string {
    return this.#take(piece, false)
  }

  /** Nothing follows: an unfinished token is told as it is, never a guess. */
  flush(): string {
    return this.#held === '' ? '' : this.#take('', true)
  }

  #take(piece: string, isWhole: boolean): string {
    const text = this.#held === '' ? piece : this.#held + piece
    let told = ''
    let toldTo = 0
    let at = 0
    while (at < text.length) {
      const reading = this.#reader.mayStart(text.charCodeAt(at)) ? this.#reader.read(text, at, isWhole) : null
      if (reading === 'open') break
      if (reading === null) {
        at++
        continue
      }
      told += text.slice(toldTo, reading.start) + this.#render(reading.value)
      at = toldTo = reading.end
    }
    this.#held = text.slice(at)
    return toldTo === 0 && at === text.length ? text : told + text.slice(toldTo, at)
  }
}
