// Reads a JSON text token by token, without building its value. Must accept exactly what JSON.parse accepts.

/** Gets the tokens in order. Offsets are those of the text; those of strings exclude the quotes. */
export interface JsonSink {
  open?(isList: boolean): void
  close?(): void
  comma?(): void
  name(start: number, end: number, hasEscapes: boolean): void
  text(start: number, end: number, hasEscapes: boolean): void
  number?(start: number, end: number): void
  /** true, false or null. */
  word?(): void
}

/** What may come next. */
const wants = { value: 0, firstItem: 1, firstName: 2, name: 3, colon: 4, commaOrEnd: 5, nothing: 6 } as const

/** About how many characters lie between two yields; one name, string or number is read at once. */
const stretch = 4_096

/** Yields so that others can run. Returns whether the text is JSON. If not, the sink has got the tokens until then. */
export function* readJson(text: string, sink: JsonSink): Generator<void, boolean> {
  const reader = new JsonReader(text, sink)
  let pause = stretch
  for (let at = 0; at < text.length; ) {
    if (at >= pause) {
      yield
      pause = at + stretch
    }
    at = reader.readToken(at)
    if (at === invalid) return false
  }
  return reader.isWhole
}

const invalid = -1

class JsonReader {
  readonly #text: string
  readonly #sink: JsonSink
  /** For each open bracket, whether it is a list's. */
  readonly #lists: boolean[] = []
  #wanted: number = wants.value
  #hasEscapes = false

  constructor(text: string, sink: JsonSink) {
    this.#text = text
    this.#sink = sink
  }

  get isWhole(): boolean {
    return this.#wanted === wants.nothing
  }

  /** Returns where the text after the token begins, or `invalid`. */
  readToken(at: number): number {
    const wanted = this.#wanted
    const code = this.#text.charCodeAt(at)
    switch (code) {
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        return at + 1
      case 0x22: // "
        return this.#readString(at)
      case 0x2c: // ,
        if (wanted !== wants.commaOrEnd) return invalid
        this.#sink.comma?.()
        this.#wanted = this.#lists.at(-1) ? wants.value : wants.name
        return at + 1
      case 0x3a: // :
        if (wanted !== wants.colon) return invalid
        this.#wanted = wants.value
        return at + 1
      case 0x5b: // [
      case 0x7b: // {
        return this.#open(at, code === 0x5b)
      case 0x5d: // ]
        return wanted === wants.firstItem || wanted === wants.commaOrEnd ? this.#close(at, true) : invalid
      case 0x7d: // }
        return wanted === wants.firstName || wanted === wants.commaOrEnd ? this.#close(at, false) : invalid
      default:
        return this.#readPlain(at, code)
    }
  }

  #open(at: number, isList: boolean): number {
    if (!this.#wantsValue()) return invalid
    this.#lists.push(isList)
    this.#sink.open?.(isList)
    this.#wanted = isList ? wants.firstItem : wants.firstName
    return at + 1
  }

  #close(at: number, isList: boolean): number {
    if (this.#lists.pop() !== isList) return invalid
    this.#sink.close?.()
    this.#endValue()
    return at + 1
  }

  #readString(at: number): number {
    const isName = this.#wanted === wants.name || this.#wanted === wants.firstName
    if (!isName && !this.#wantsValue()) return invalid
    const end = this.#endOfString(at + 1)
    if (end === invalid) return invalid
    if (isName) {
      this.#sink.name(at + 1, end, this.#hasEscapes)
      this.#wanted = wants.colon
    } else {
      this.#sink.text(at + 1, end, this.#hasEscapes)
      this.#endValue()
    }
    return end + 1
  }

  /** A number, true, false or null. */
  #readPlain(at: number, code: number): number {
    if (!this.#wantsValue()) return invalid
    let end = invalid
    if (code === 0x74) end = this.#endOfWord(at, 'true')
    else if (code === 0x66) end = this.#endOfWord(at, 'false')
    else if (code === 0x6e) end = this.#endOfWord(at, 'null')
    else {
      end = endOfNumber(this.#text, at)
      if (end !== invalid) this.#sink.number?.(at, end)
    }
    if (code >= 0x66 && end !== invalid) this.#sink.word?.()
    this.#endValue()
    return end
  }

  #wantsValue(): boolean {
    return this.#wanted === wants.value || this.#wanted === wants.firstItem
  }

  #endValue(): void {
    this.#wanted = this.#lists.length === 0 ? wants.nothing : wants.commaOrEnd
  }

  #endOfWord(at: number, word: string): number {
    return this.#text.startsWith(word, at) ? at + word.length : invalid
  }

  /** The offset of the closing quote. */
  #endOfString(from: number): number {
    const text = this.#text
    this.#hasEscapes = false
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x22) return at
      if (code < 0x20) return invalid
      if (code !== 0x5c) continue
      this.#hasEscapes = true
      const width = widthOfEscape(text, at + 1)
      if (width === 0) return invalid
      at += width
    }
    return invalid
  }
}

/** The number of characters after a backslash; 0 if they are invalid. */
function widthOfEscape(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code !== 0x75) return '"\\/bfnrt'.includes(text.charAt(at)) && at < text.length ? 1 : 0
  for (let digit = at + 1; digit < at + 5; digit++) if (!isHex(text.charCodeAt(digit))) return 0
  return 5
}

function endOfNumber(text: string, start: number): number {
  let at = text.charCodeAt(start) === 0x2d ? start + 1 : start
  if (text.charCodeAt(at) === 0x30) at++
  else {
    const whole = at
    at = endOfDigits(text, at)
    if (at === whole) return invalid
  }
  if (text.charCodeAt(at) === 0x2e) {
    const fraction = at + 1
    at = endOfDigits(text, fraction)
    if (at === fraction) return invalid
  }
  if ((text.charCodeAt(at) | 0x20) !== 0x65) return at
  const sign = text.charCodeAt(at + 1)
  const exponent = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1
  at = endOfDigits(text, exponent)
  return at === exponent ? invalid : at
}

function endOfDigits(text: string, start: number): number {
  let at = start
  while (isDigit(text.charCodeAt(at))) at++
  return at
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isHex(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66)
}

/** The value of a name or string. Without escapes it is the text itself. */
export function readString(text: string, start: number, end: number, hasEscapes: boolean): string {
  return hasEscapes ? (JSON.parse(text.slice(start - 1, end + 1)) as string) : text.slice(start, end)
}
