// Finds the values at certain places of a JSON text, such as the schema of each tool, without building the others. The
// text must be one that JSON.parse accepts.

/** What stands at a place, and the places inside of it. Places may repeat in each other. */
export interface JsonPlace {
  /**
   * `object`: an object to be passed on as its text. `text`: a string that people or models wrote. `call`: a string
   * with the arguments of a call.
   */
  holds?: PlaceKind
  members?: Readonly<Record<string, JsonPlace>>
  items?: JsonPlace
}

export type PlaceKind = 'object' | 'text' | 'call'
export type JsonPath = readonly (string | number)[]

/** Gets [start, end) of each value in the order of the text; `path` changes afterwards. */
type Visit = (kind: PlaceKind, start: number, end: number, path: JsonPath) => void

export function visitPlaces(text: string, place: JsonPlace, visit: Visit): void {
  new PlaceReader(text, visit).read(0, place)
}

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
/** The last of the spaces, tabs and line ends, the only characters that JSON has between its values. */
const lastBlank = 0x20
/** Below this many characters a loop is faster than a search. */
const shortString = 32

class PlaceReader {
  readonly #text: string
  readonly #visit: Visit
  readonly #path: (string | number)[] = []

  constructor(text: string, visit: Visit) {
    this.#text = text
    this.#visit = visit
  }

  /** Reads the value that begins after blanks at `from`. Returns its end. */
  read(from: number, place: JsonPlace | undefined): number {
    const start = this.#skipBlanks(from)
    const code = this.#text.charCodeAt(start)
    if (place !== undefined && code === openBrace && place.holds === 'object') {
      const end = this.#skip(start)
      this.#visit('object', start, end, this.#path)
      return end
    }
    if (code === openBrace && place?.members !== undefined) return this.#readMembers(start, place.members)
    if (code === openBracket && place?.items !== undefined) return this.#readItems(start, place.items)
    const end = this.#skip(start)
    if (code === quote && (place?.holds === 'text' || place?.holds === 'call'))
      this.#visit(place.holds, start, end, this.#path)
    return end
  }

  #readMembers(open: number, members: Readonly<Record<string, JsonPlace>>): number {
    let at = this.#skipBlanks(open + 1)
    while (this.#text.charCodeAt(at) !== closeBrace) {
      const end = this.#endOfString(at)
      const name = this.#readName(at, end)
      const colon = this.#skipBlanks(end)
      this.#path.push(name)
      at = this.#skipBlanks(this.read(colon + 1, Object.hasOwn(members, name) ? members[name] : undefined))
      this.#path.pop()
      if (this.#text.charCodeAt(at) === comma) at = this.#skipBlanks(at + 1)
    }
    return at + 1
  }

  #readItems(open: number, item: JsonPlace): number {
    let at = this.#skipBlanks(open + 1)
    for (let index = 0; this.#text.charCodeAt(at) !== closeBracket; index++) {
      this.#path.push(index)
      at = this.#skipBlanks(this.read(at, item))
      this.#path.pop()
      if (this.#text.charCodeAt(at) === comma) at = this.#skipBlanks(at + 1)
    }
    return at + 1
  }

  #readName(open: number, end: number): string {
    const raw = this.#text.slice(open + 1, end - 1)
    return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
  }

  #skipBlanks(from: number): number {
    let at = from
    while (this.#text.charCodeAt(at) <= lastBlank) at++
    return at
  }

  /** The end of the value that begins at `start`. */
  #skip(start: number): number {
    const text = this.#text
    let depth = 0
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) {
        at = this.#endOfString(at) - 1
        if (depth === 0) return at + 1
      } else if (code === openBrace || code === openBracket) depth++
      else if (code === closeBrace || code === closeBracket) {
        if (depth === 0) return at
        if (--depth === 0) return at + 1
      } else if (depth === 0 && (code === comma || code <= lastBlank)) return at
    }
    return text.length
  }

  /** A loop goes on while escapes follow each other: a search for each of many escaped quotes takes long. */
  #endOfString(open: number): number {
    const text = this.#text
    let at = open + 1
    for (;;) {
      for (let end = at + shortString; at < end; at++) {
        const code = text.charCodeAt(at)
        if (code === quote) return at + 1
        if (code === backslash) end = ++at + shortString
      }
      const close = text.indexOf('"', at)
      if (!this.#isEscaped(close)) return close + 1
      at = close + 1
    }
  }

  #isEscaped(at: number): boolean {
    let first = at
    while (this.#text.charCodeAt(first - 1) === backslash) first--
    return (at - first) % 2 === 1
  }
}
