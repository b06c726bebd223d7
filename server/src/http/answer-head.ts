// Builds the head of a response: headers by their lower-case names while they may still change, then one text.
import { memoizeKnown } from '../collections/bounded-memo.ts'
import { STATUS_CODES } from './runtime-http.ts'

const notInValue = /[^\t\x20-\x7e\x80-\xff]/
const nameGrammar = /^[A-Za-z0-9-]+$/
/** Nearly all header names are literals in our sources. */
const lowerName = memoizeKnown((name: string) => {
  if (!nameGrammar.test(name)) throw new TypeError('invalid character in the name of a header')
  return name.toLowerCase()
}, 500)

export class AnswerHead {
  readonly #names: string[] = []
  readonly #values: string[] = []

  set(name: string, value: string | number): void {
    const lowered = lowerName(name)
    if (typeof value === 'string' && notInValue.test(value)) throw new TypeError('invalid character in a header')
    const text = String(value)
    const known = this.#names.indexOf(lowered)
    if (known >= 0) this.#values[known] = text
    else {
      this.#names.push(lowered)
      this.#values.push(text)
    }
  }

  get(name: string): string | undefined {
    const at = this.#names.indexOf(name.toLowerCase())
    return at < 0 ? undefined : this.#values[at]
  }

  has(name: string): boolean {
    return this.#names.includes(name.toLowerCase())
  }

  /** `more` holds further lines of the connection's own and the empty line at the end. */
  text(status: number, more: string): string {
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n`
    for (let at = 0; at < this.#names.length; at++) text += `${this.#names[at]}: ${this.#values[at]}\r\n`
    return `${text}${dateLine()}${more}\r\n`
  }
}

let dateAt = 0
let dateText = ''

/** One text for all responses of a second. */
function dateLine(): string {
  const now = Date.now()
  if (now - dateAt >= 1_000 || now < dateAt) {
    dateAt = now - (now % 1_000)
    dateText = `Date: ${new Date(now).toUTCString()}\r\n`
  }
  return dateText
}
