// Reads a JSON text as lines that a scanner understands, `name: value`, and leads from a place in these lines back to the
// text, so that a value can be replaced where it stands and all else stays byte for byte. Knows no finding.

/** A name or a value of the text, in the view and in the text. */
interface Piece {
  start: number
  end: number
  rawStart: number
  kind: 'name' | 'text' | 'number'
  hasEscapes: boolean
}

export interface JsonView {
  lines: string
  /** What of the text stands behind [start, end) of the lines: parts of texts and whole numbers, never a name. */
  valuesIn(start: number, end: number): RawValue[]
}

export interface RawValue {
  rawStart: number
  rawEnd: number
  /** As it is meant, not as it is written. */
  value: string
  /** Whatever takes its place has to be quoted. */
  isNumber: boolean
}

/** Shorter ones are no one's data. */
const leastDigits = 5
/** The items of a list are read under its name where that is a short one: the view stays a small multiple of the text. */
const longestListName = 24
const leastItem = 5

/** Null where the text is no JSON. */
export function viewJson(text: string): JsonView | null {
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  const writer = new ViewWriter(text)
  writer.readAll()
  const { lines, pieces } = writer
  const rawPlaces = createRawPlaces(text)
  return {
    lines,
    valuesIn: (start, end) =>
      pieces
        .slice(firstEndingAfter(pieces, start), firstStartingFrom(pieces, end))
        .filter(({ kind }) => kind !== 'name')
        .map(piece => rawValue(rawPlaces, lines, piece, start, end)),
  }
}

class ViewWriter {
  lines = ''
  readonly pieces: Piece[] = []
  readonly #text: string
  /** Of each open list its name, of each open object nothing. */
  readonly #lists: string[] = []
  #name = ''
  #isNamed = false

  constructor(text: string) {
    this.#text = text
  }

  readAll(): void {
    const text = this.#text
    for (let at = 0; at < text.length; ) {
      const letter = text[at] ?? ''
      if (letter === '"') at = this.#readString(at)
      else if (letter === '-' || (letter >= '0' && letter <= '9')) at = this.#readNumber(at)
      else {
        if (letter === '{' || letter === '[') this.#open(letter)
        else if (letter === '}' || letter === ']') this.#lists.pop()
        else if (letter === ',') this.#endLine()
        at++
      }
    }
  }

  #open(bracket: string): void {
    this.#lists.push(bracket === '[' && this.#name.length <= longestListName ? this.#name : '')
    if (this.#isNamed) this.lines += '\n'
    this.#isNamed = false
    this.#name = ''
  }

  #readString(at: number): number {
    const text = this.#text
    const end = endOfString(text, at)
    const raw = text.slice(at + 1, end - 1)
    const hasEscapes = raw.includes('\\')
    const said = hasEscapes ? (JSON.parse(text.slice(at, end)) as string) : raw
    const isName = nextSign(text, end) === ':'
    if (isName) {
      this.#add(said, { rawStart: at + 1, kind: 'name', hasEscapes })
      this.lines += ': '
      this.#name = said
      this.#isNamed = true
    } else this.#addValue(said, { rawStart: at + 1, kind: 'text', hasEscapes })
    return end
  }

  #readNumber(at: number): number {
    let end = at + 1
    while (end < this.#text.length && '0123456789.eE+-'.includes(this.#text[end] ?? ' ')) end++
    const said = this.#text.slice(at, end)
    if (said.length >= leastDigits) this.#addValue(said, { rawStart: at, kind: 'number', hasEscapes: false })
    else this.#endLine()
    return end
  }

  #addValue(said: string, place: Pick<Piece, 'rawStart' | 'kind' | 'hasEscapes'>): void {
    const listName = this.#lists.at(-1) ?? ''
    if (!this.#isNamed && listName !== '' && said.length >= leastItem) this.lines += `${listName}: `
    this.#add(said, place)
    this.lines += '\n'
    this.#isNamed = false
  }

  #endLine(): void {
    if (this.#isNamed) this.lines += '\n'
    this.#isNamed = false
  }

  #add(said: string, place: Pick<Piece, 'rawStart' | 'kind' | 'hasEscapes'>): void {
    const start = this.lines.length
    this.lines += said
    this.pieces.push({ start, end: this.lines.length, ...place })
  }
}

function rawValue(rawPlaceIn: RawPlaces, lines: string, piece: Piece, start: number, end: number): RawValue {
  if (piece.kind === 'number') {
    const value = lines.slice(piece.start, piece.end)
    return { rawStart: piece.rawStart, rawEnd: piece.rawStart + value.length, value, isNumber: true }
  }
  const from = Math.max(piece.start, start)
  const to = Math.min(piece.end, end)
  const rawStart = rawPlaceIn(piece, from)
  return { rawStart, rawEnd: rawPlaceIn(piece, to), value: lines.slice(from, to), isNumber: false }
}

/** Where in the text a place of the lines stands that lies in this piece. */
type RawPlaces = (piece: Piece, place: number) => number

/** Goes on from the place that was asked for last: places are asked for in order, and a piece may be long and full of them. */
function createRawPlaces(text: string): RawPlaces {
  let last: { piece: Piece; place: number; at: number } | null = null
  return (piece, place) => {
    if (!piece.hasEscapes) return piece.rawStart + place - piece.start
    const known = last?.piece === piece && last.place <= place ? last : { place: piece.start, at: piece.rawStart }
    let at = known.at
    for (let left = place - known.place; left > 0; left--) {
      if (text[at] !== '\\') at++
      else at += text[at + 1] === 'u' ? 6 : 2
    }
    last = { piece, place, at }
    return at
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function nextSign(text: string, from: number): string {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  return text[at] ?? ''
}

function firstEndingAfter(pieces: readonly Piece[], place: number): number {
  return firstWhere(pieces, piece => piece.end > place)
}

function firstStartingFrom(pieces: readonly Piece[], place: number): number {
  return firstWhere(pieces, piece => piece.start >= place)
}

/** Pieces stand in order, so what holds for one holds for all that follow. */
function firstWhere(pieces: readonly Piece[], holds: (piece: Piece) => boolean): number {
  let low = 0
  let high = pieces.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const piece = pieces[middle]
    if (piece !== undefined && holds(piece)) high = middle
    else low = middle + 1
  }
  return low
}
