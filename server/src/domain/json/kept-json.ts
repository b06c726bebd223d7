// Texts and lists that come in pieces and are written several times at their end. They are kept as JSON in UTF-8, so
// that this takes no time for each of their characters.

import { markOfBytes, writeJson } from './json-text.ts'
import type { JsonList } from './lazy-list.ts'

/** In UTF-16 units: less is not worth a write. */
const pieceLength = 65_536
const quote = Buffer.from('"')
const [openList, closeList, comma] = [Buffer.from('['), Buffer.from(']'), Buffer.from(',')]

export class KeptString {
  /** Without the quotes. */
  readonly #written: Buffer[] = []
  #waiting: string[] = []
  #waitingLength = 0

  add(piece: string): void {
    this.#waiting.push(piece)
    this.#waitingLength += piece.length
    if (this.#waitingLength >= pieceLength) this.#write()
  }

  whole(): string {
    this.#write()
    return this.#written.map(json => JSON.parse(`"${json.toString()}"`) as string).join('')
  }

  toJSON(): unknown {
    return markOfBytes(() => this.pieces()) ?? this.whole()
  }

  pieces(): readonly Uint8Array[] {
    this.#write()
    return [quote, ...this.#written, quote]
  }

  #write(): void {
    if (this.#waitingLength === 0) return
    // Half of a surrogate pair is written as its escape, and so is the other half.
    this.#written.push(Buffer.from(JSON.stringify(this.#waiting.join('')).slice(1, -1)))
    this.#waiting = []
    this.#waitingLength = 0
  }
}

export class KeptList {
  /** Each of some values, without the brackets. */
  readonly #written: Buffer[] = []

  add(values: JsonList): void {
    if (values.length === 0) return
    if (this.#written.length > 0) this.#written.push(comma)
    this.#written.push(Buffer.from(writeJson(values).slice(1, -1)))
  }

  toJSON(): unknown {
    return markOfBytes(() => this.pieces()) ?? JSON.parse(Buffer.concat(this.pieces()).toString())
  }

  pieces(): readonly Uint8Array[] {
    return [openList, ...this.#written, closeList]
  }
}
