// Reads JSON that arrives in pieces, and renders it as lines that a scanner understands, `name: value`, one code unit
// for each character of the text: strings without their escapes, signs as blanks and line ends. Any other text
// passes.

/** What may become of a code unit of the view. */
export const unit = {
  /** May be replaced as it is. */
  value: 0,
  /** Must stay: a name, a sign, a restored value. */
  fixed: 1,
  /** Part of a number outside strings: its replacement must be quoted. */
  number: 2,
} as const

/** Gets each code unit of the view, and the offset of its character in the text. */
export type AddUnit = (code: number, at: number, kind: number) => void

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]
const [blank, lineEnd] = [0x20, 0x0a]
const escaped: Readonly<Record<string, number>> = { b: 0x08, f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09 }

export class JsonLines {
  /** Whether each open bracket is an object. */
  readonly #objects: boolean[] = []
  #isInString = false
  #isName = false
  #expectsName = false
  #isNumber = false
  #isFirst = true
  /** The part of an escape that has arrived, and its offset. */
  #escape = ''
  #escapeAt = 0

  /** `at`: the offset of the part in the text. Returns the offset up to which all characters were added. */
  read(part: string, at: number, add: AddUnit): number {
    for (let index = 0; index < part.length; index++) {
      const code = part.charCodeAt(index)
      if (this.#isInString) this.#readInString(code, at + index, add)
      else this.#readOutside(code, at + index, add)
    }
    return this.#escape === '' ? at + part.length : this.#escapeAt
  }

  /** A restored value follows. */
  noteValue(): void {
    this.#isFirst = false
    this.#escape = ''
  }

  #readInString(code: number, at: number, add: AddUnit): void {
    const kind = this.#isName ? unit.fixed : unit.value
    if (this.#escape !== '') {
      this.#escape += String.fromCharCode(code)
      const length = this.#escape.charAt(1) === 'u' ? 6 : 2
      if (this.#escape.length < length) return
      const letter = this.#escape.charAt(1)
      const unescaped = length === 6 ? Number.parseInt(this.#escape.slice(2), 16) : (escaped[letter] ?? code)
      this.#escape = ''
      add(Number.isNaN(unescaped) ? blank : unescaped, this.#escapeAt, kind)
    } else if (code === backslash) {
      this.#escape = '\\'
      this.#escapeAt = at
    } else if (code === quote) {
      this.#isInString = false
      add(blank, at, unit.fixed)
    } else add(code, at, kind)
  }

  #readOutside(code: number, at: number, add: AddUnit): void {
    const isSign = this.#readSign(code)
    if (isSign) {
      this.#isNumber = false
      this.#isFirst = true
      add(code === quote ? blank : code === colon ? colon : lineEnd, at, unit.fixed)
      return
    }
    if (code <= blank) {
      this.#isNumber = false
      this.#isFirst = true
    } else if (this.#isFirst) {
      this.#isNumber = code === 0x2d || (code >= 0x30 && code <= 0x39)
      this.#isFirst = false
    }
    add(code, at, this.#isNumber ? unit.number : unit.value)
  }

  #readSign(code: number): boolean {
    switch (code) {
      case quote:
        this.#isInString = true
        this.#isName = this.#expectsName
        break
      case openList:
      case openObject:
        this.#objects.push(code === openObject)
        this.#expectsName = code === openObject
        break
      case closeList:
      case closeObject:
        this.#objects.pop()
        this.#expectsName = false
        break
      case comma:
        this.#expectsName = this.#objects.at(-1) === true
        break
      case colon:
        this.#expectsName = false
        break
      default:
        return false
    }
    return true
  }
}
