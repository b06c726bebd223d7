// Restores one text that arrives in pieces: passes on the values of this request's mask tokens and, apart from them,
// what the model wrote. Must hold back the end of a piece only while it may become a token.

import type { TokenReader } from '../masking/read-token.ts'

/** Writes a value in the encoding of its destination. */
export type Render = (value: string) => string

/** Gets the parts of a text in order. */
export interface TextSink {
  /** What the model wrote. */
  text(part: string): void
  /** A restored value, in the encoding of its destination. */
  value(rendered: string): void
  /** Returns the text that can be sent now; everything if `isWhole`. */
  take(isWhole: boolean): string
}

export class TextRestorer {
  /** Null if nothing was masked. */
  readonly #reader: TokenReader | null
  readonly #render: Render
  readonly #parts: TextSink
  #held = ''

  constructor(reader: TokenReader | null, render: Render, parts: TextSink) {
    this.#reader = reader
    this.#render = render
    this.#parts = parts
  }

  /** Returns the text that can be sent now. */
  push(piece: string): string {
    if (this.#reader === null) this.#parts.text(piece)
    else this.#read(this.#reader, piece, false)
    return this.#parts.take(false)
  }

  /** Call this at the end: an unfinished token is returned unchanged, never guessed. */
  flush(): string {
    if (this.#reader !== null && this.#held !== '') this.#read(this.#reader, '', true)
    return this.#parts.take(true)
  }

  #read(reader: TokenReader, piece: string, isWhole: boolean): void {
    const text = this.#held === '' ? piece : this.#held + piece
    let readTo = 0
    let at = 0
    while (at < text.length) {
      const reading = reader.mayStart(text.charCodeAt(at)) ? reader.read(text, at, isWhole) : null
      if (reading === 'open') break
      if (reading === null) {
        at++
        continue
      }
      if (reading.start > readTo) this.#parts.text(text.slice(readTo, reading.start))
      this.#parts.value(this.#render(reading.value))
      at = readTo = reading.end
    }
    this.#held = text.slice(at)
    if (at > readTo) this.#parts.text(at === text.length && readTo === 0 ? text : text.slice(readTo, at))
  }
}

/** Joins the parts of a text that nothing scans. */
export class JoinedText implements TextSink {
  #joined = ''

  text(part: string): void {
    this.#joined += part
  }

  value(rendered: string): void {
    this.#joined += rendered
  }

  take(): string {
    const joined = this.#joined
    this.#joined = ''
    return joined
  }
}
