// Renders a JSON text as lines that a scanner understands, `name: value`, and maps offsets in these lines back to the
// text, so that a value can be replaced in place and the rest stays byte for byte.

import { type JsonSink, readJson, readString } from '../read-json.ts'
import { TextParts } from '../text-parts.ts'

export interface JsonView {
  lines: string
  /** The parts of the text that [start, end) of the lines shows: parts of strings and whole numbers, never a name. */
  valuesIn(start: number, end: number): RawValue[]
}

export interface RawValue {
  rawStart: number
  rawEnd: number
  /** Unescaped. */
  value: string
  /** A number's replacement has to be quoted. */
  isNumber: boolean
}

/** Shorter numbers are never personal data. */
const minDigits = 5
/** The items of a list repeat its name only if it is short: the view stays a small multiple of the text. */
const maxListNameLength = 24
const minItem = 5

/** Yields so that others can run. Null if the text is not JSON. */
export function* viewJson(text: string): Generator<void, JsonView | null> {
  const writer = new ViewWriter(text)
  const isJson = yield* readJson(text, writer)
  if (!isJson) return null
  const { pieces } = writer
  const lines = writer.lines.whole()
  const rawPlaceIn = createRawPlaces(text, pieces)
  return {
    lines,
    valuesIn(start, end) {
      const values: RawValue[] = []
      const last = pieces.firstWhere(piece => pieces.startOf(piece) >= end)
      for (let piece = pieces.firstWhere(one => pieces.endOf(one) > start); piece < last; piece++) {
        if (pieces.kindOf(piece) !== kinds.name) values.push(rawValue(rawPlaceIn, lines, pieces, piece, start, end))
      }
      return values
    },
  }
}

const kinds = { name: 0, text: 1, number: 2 } as const
const fields = 4
const smallestTable = 32

/** The offsets of names and values, in the view and in the text: arrays of numbers, since there may be many. */
class Pieces {
  #count = 0
  #rows = new Uint32Array(smallestTable * fields)

  add(start: number, end: number, rawStart: number, kind: number, hasEscapes: boolean): void {
    const row = this.#count++ * fields
    if (row === this.#rows.length) {
      const larger = new Uint32Array(row * 2)
      larger.set(this.#rows)
      this.#rows = larger
    }
    this.#rows[row] = start
    this.#rows[row + 1] = end
    this.#rows[row + 2] = rawStart
    this.#rows[row + 3] = kind * 2 + (hasEscapes ? 1 : 0)
  }

  startOf(piece: number): number {
    return this.#rows[piece * fields]!
  }

  endOf(piece: number): number {
    return this.#rows[piece * fields + 1]!
  }

  rawStartOf(piece: number): number {
    return this.#rows[piece * fields + 2]!
  }

  kindOf(piece: number): number {
    return this.#rows[piece * fields + 3]! >> 1
  }

  hasEscapes(piece: number): boolean {
    return (this.#rows[piece * fields + 3]! & 1) === 1
  }

  /** Binary search: pieces are ordered, so a condition that holds for one holds for all that follow. */
  firstWhere(holds: (piece: number) => boolean): number {
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (holds(middle)) high = middle
      else low = middle + 1
    }
    return low
  }
}

class ViewWriter implements JsonSink {
  readonly lines = new TextParts()
  readonly pieces = new Pieces()
  readonly #text: string
  /** For each open list its name, for each open object an empty string. */
  readonly #lists: string[] = []
  #name = ''
  #isNamed = false

  constructor(text: string) {
    this.#text = text
  }

  open(isList: boolean): void {
    this.#lists.push(isList && this.#name.length <= maxListNameLength ? this.#name : '')
    this.comma()
    this.#name = ''
  }

  close(): void {
    this.#lists.pop()
  }

  comma(): void {
    if (this.#isNamed) this.lines.add('\n')
    this.#isNamed = false
  }

  name(start: number, end: number, hasEscapes: boolean): void {
    const said = readString(this.#text, start, end, hasEscapes)
    this.#add(said, start, kinds.name, hasEscapes)
    this.lines.add(': ')
    this.#name = said
    this.#isNamed = true
  }

  text(start: number, end: number, hasEscapes: boolean): void {
    this.#addValue(readString(this.#text, start, end, hasEscapes), start, kinds.text, hasEscapes)
  }

  number(start: number, end: number): void {
    if (end - start >= minDigits) this.#addValue(this.#text.slice(start, end), start, kinds.number, false)
    else this.comma()
  }

  #addValue(said: string, rawStart: number, kind: number, hasEscapes: boolean): void {
    const listName = this.#lists.at(-1) ?? ''
    if (!this.#isNamed && listName !== '' && said.length >= minItem) this.lines.add(`${listName}: `)
    this.#add(said, rawStart, kind, hasEscapes)
    this.lines.add('\n')
    this.#isNamed = false
  }

  #add(said: string, rawStart: number, kind: number, hasEscapes: boolean): void {
    const start = this.lines.length
    this.lines.add(said)
    this.pieces.add(start, this.lines.length, rawStart, kind, hasEscapes)
  }
}

function rawValue(
  rawPlaceIn: RawPlaces,
  lines: string,
  pieces: Pieces,
  piece: number,
  start: number,
  end: number,
): RawValue {
  const [first, last] = [pieces.startOf(piece), pieces.endOf(piece)]
  if (pieces.kindOf(piece) === kinds.number) {
    const rawStart = pieces.rawStartOf(piece)
    return { rawStart, rawEnd: rawStart + last - first, value: lines.slice(first, last), isNumber: true }
  }
  const [from, to] = [Math.max(first, start), Math.min(last, end)]
  const rawStart = rawPlaceIn(piece, from)
  return { rawStart, rawEnd: rawPlaceIn(piece, to), value: lines.slice(from, to), isNumber: false }
}

/** Maps an offset of the lines inside this piece to an offset of the text. */
type RawPlaces = (piece: number, place: number) => number

/** Continues from the last offset: offsets come in order, and a piece may be long and contain many. */
function createRawPlaces(text: string, pieces: Pieces): RawPlaces {
  let last = { piece: -1, place: 0, at: 0 }
  return (piece, place) => {
    const [start, rawStart] = [pieces.startOf(piece), pieces.rawStartOf(piece)]
    if (!pieces.hasEscapes(piece)) return rawStart + place - start
    const known = last.piece === piece && last.place <= place ? last : { place: start, at: rawStart }
    let at = known.at
    for (let left = place - known.place; left > 0; left--) {
      if (text[at] !== '\\') at++
      else at += text[at + 1] === 'u' ? 6 : 2
    }
    last = { piece, place, at }
    return at
  }
}
