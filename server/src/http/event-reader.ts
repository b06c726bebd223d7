// Splits a body of server-sent events by bytes: decodes an event only when it is whole, so no chunk boundary can split
// a character, and its bytes can be relayed unchanged.

import { isUtf8 } from 'node:buffer'

const lf = 0x0a
const cr = 0x0d
const colon = 0x3a
const space = 0x20
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
const dataField = Buffer.from('data')
const nameField = Buffer.from('event')
const silentFields = [Buffer.from('id'), Buffer.from('retry')]
/** One more than the longest field name. */
const maxFieldLength = 6
const maxStrayBytes = 64 * 1024
const tooLong = 'event too long'

export interface ServerEvent {
  /** The `event:` field; empty if there is none. */
  name: string
  data: string
  /** The bytes of its lines, including the blank line that ends it. They share memory with the pushed chunk. */
  raw: Uint8Array
}

export class EventFormatError extends Error {
  override readonly name = 'EventFormatError'
}

export class EventReader {
  readonly #onEvent: (event: ServerEvent) => void
  readonly #maxEventBytes: number
  /**
   * Bytes that were not handed over yet are `bytes` from `start` to `end`; those before `lineStart` are split into
   * lines.
   */
  #bytes: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0
  #lineStart = 0
  #searched = 0
  /** Whether `bytes` is this reader's own memory, with space after `end`. */
  #isOwn = false
  #isFirst = true
  #name = ''
  /** Pairs of start and end, relative to `start`. */
  #dataRanges: number[] = []
  readonly #stray: string[] = []
  #strayBytes = 0

  constructor(onEvent: (event: ServerEvent) => void, { maxEventBytes }: { maxEventBytes: number }) {
    this.#onEvent = onEvent
    this.#maxEventBytes = maxEventBytes
  }

  /** Throws EventFormatError at an event that is too long or not UTF-8, after the events before it were handed over. */
  push(chunk: Uint8Array): void {
    this.#append(chunk)
    if (!this.#isFirst || this.#skipByteOrderMark()) this.#split(false)
    if (this.#end - this.#start > this.#maxEventBytes) throw new EventFormatError(tooLong)
    if (!this.#isOwn && this.#start < this.#end) this.#takeOver(this.#end - this.#start)
  }

  /** Call this at the end of the body: an event without its final blank line is handed over too. */
  end(): void {
    this.#split(true)
    if (this.#lineStart < this.#end) this.#readLine(this.#lineStart, this.#end, this.#end)
    this.#lineStart = this.#end
    if (this.#start < this.#end) this.#dispatch(this.#end)
  }

  /** Lines of the whole body that are neither field nor comment: some providers write errors between events. */
  strayText(): string {
    return this.#stray.join('\n')
  }

  #append(chunk: Uint8Array): void {
    if (this.#start === this.#end) {
      this.#bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      this.#start = this.#lineStart = this.#searched = 0
      this.#end = chunk.byteLength
      this.#isOwn = false
      return
    }
    const needed = this.#end - this.#start + chunk.byteLength
    // Bytes that were handed over may still be in use, so memory with such bytes at the front is never reused.
    if (this.#start > 0 || this.#bytes.length < needed) this.#takeOver(needed)
    this.#bytes.set(chunk, this.#end)
    this.#end += chunk.byteLength
  }

  /** Copies the bytes into this reader's own memory, with space for more. */
  #takeOver(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(1024, needed * 2))
    this.#bytes.copy(grown, 0, this.#start, this.#end)
    this.#bytes = grown
    this.#lineStart -= this.#start
    this.#searched -= this.#start
    this.#end -= this.#start
    this.#start = 0
    this.#isOwn = true
  }

  /** Returns false until it is known whether there is a byte order mark. */
  #skipByteOrderMark(): boolean {
    const length = Math.min(3, this.#end - this.#start)
    if (byteOrderMark.compare(this.#bytes, this.#start, this.#start + length, 0, length) === 0) {
      if (length < 3) return false
      this.#start = this.#lineStart = this.#searched = this.#start + 3
    }
    this.#isFirst = false
    return true
  }

  /** `isLast`: nothing follows, so a lone CR ends a line and is not the first half of CRLF. */
  #split(isLast: boolean): void {
    let nextCr = this.#find(cr)
    while (true) {
      const nextLf = this.#find(lf)
      if (nextCr !== -1 && nextCr < this.#searched) nextCr = this.#find(cr)
      let lineEnd = nextLf
      let next = nextLf + 1
      if (nextCr !== -1 && (nextLf === -1 || nextCr < nextLf)) {
        if (nextCr + 1 === this.#end && !isLast) {
          this.#searched = nextCr
          return
        }
        lineEnd = nextCr
        next = nextCr + 1 === nextLf ? nextLf + 1 : nextCr + 1
      } else if (nextLf === -1) {
        this.#searched = this.#end
        return
      }
      this.#readLine(this.#lineStart, lineEnd, next)
      this.#lineStart = this.#searched = next
    }
  }

  #find(byte: number): number {
    const at = this.#bytes.indexOf(byte, this.#searched)
    return at < this.#end ? at : -1
  }

  #readLine(from: number, to: number, next: number): void {
    if (from === to) {
      this.#dispatch(next)
      return
    }
    const bytes = this.#bytes
    let fieldEnd = from
    const searchEnd = Math.min(to, from + maxFieldLength)
    while (fieldEnd < searchEnd && bytes[fieldEnd] !== colon) fieldEnd++
    const isComment = fieldEnd === from
    if (isComment) return
    const isField = fieldEnd === to || bytes[fieldEnd] === colon
    const hasSpace = fieldEnd + 1 < to && bytes[fieldEnd + 1] === space
    const valueStart = fieldEnd === to ? to : fieldEnd + (hasSpace ? 2 : 1)
    if (isField && this.#isNamed(dataField, from, fieldEnd)) {
      this.#dataRanges.push(valueStart - this.#start, to - this.#start)
    } else if (isField && this.#isNamed(nameField, from, fieldEnd)) this.#name = this.#decode(valueStart, to)
    else if (!isField || !silentFields.some(field => this.#isNamed(field, from, fieldEnd))) this.#keepStray(from, to)
  }

  #isNamed(field: Buffer, from: number, to: number): boolean {
    return to - from === field.length && this.#bytes.compare(field, 0, field.length, from, to) === 0
  }

  #keepStray(from: number, to: number): void {
    this.#strayBytes += to - from
    if (this.#strayBytes <= maxStrayBytes) this.#stray.push(this.#bytes.toString('utf8', from, to))
  }

  #dispatch(next: number): void {
    if (next - this.#start > this.#maxEventBytes) throw new EventFormatError(tooLong)
    const ranges = this.#dataRanges
    const name = this.#name
    const [from = 0, to = 0] = ranges
    const data = ranges.length === 2 ? this.#decode(this.#start + from, this.#start + to) : this.#joinData()
    const raw = this.#bytes.subarray(this.#start, next)
    this.#start = next
    this.#name = ''
    if (ranges.length === 0) return
    this.#dataRanges = []
    this.#onEvent({ name, data, raw })
  }

  #joinData(): string {
    const [lines, ranges]: [string[], number[]] = [[], this.#dataRanges]
    for (let at = 0; at < ranges.length; at += 2) {
      lines.push(this.#decode(this.#start + ranges[at]!, this.#start + ranges[at + 1]!))
    }
    return lines.join('\n')
  }

  #decode(from: number, to: number): string {
    if (!isUtf8(this.#bytes.subarray(from, to))) throw new EventFormatError('not UTF-8')
    return this.#bytes.toString('utf8', from, to)
  }
}
