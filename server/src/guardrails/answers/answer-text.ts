// One text of an answer that arrives in pieces: keeps what scanners may still need, and returns what they have
// settled, with the replacements that they made. A restored value is one opaque character for them.

import { type AddUnit, JsonLines, unit } from './json-lines.ts'
import type { TextSink } from './text-restorer.ts'

/** Scans one text of an answer. Offsets count in the whole view of the text, from its beginning. */
export interface TextScanner {
  /**
   * Reads what was added. Returns the offset up to which no later text can change the result; everything if `isWhole`.
   * Throws if the answer must end.
   */
  read(text: AnswerText, isWhole: boolean): number
}

export interface ScannerOfText {
  scanner: TextScanner
  /** False: it only reports. The text is neither held back nor changed for it. */
  isEnforced: boolean
}

interface Edit {
  start: number
  end: number
  cover: string
}

/** Scanners read this much before the text that is not settled. */
const contextLength = 256
/** A longer piece is settled in parts, since scanners limit the length of a text. */
const maxPart = 4_096
/** Stands for a restored value: a mark for all scanners. */
const opaque = 0xa4

export class AnswerText implements TextSink {
  readonly #scanners: readonly ScannerOfText[]
  readonly #json: JsonLines | null
  /** Where each scanner has settled the text. */
  readonly #settled: number[]
  #view = ''
  /** The offset of the first unit of `view`. */
  #base = 0
  /** The offset in the raw text, and the kind, of each unit of the view. */
  #places: number[] = []
  #kinds: number[] = []
  #raw = ''
  #rawBase = 0
  /** The raw text up to here is in the view; the rest is an unfinished escape. */
  #rawRead = 0
  #edits: Edit[] = []
  #sent = 0
  #ready = ''
  readonly #add: AddUnit = (code, at, kind) => {
    this.#view += String.fromCharCode(code)
    this.#places.push(at)
    this.#kinds.push(kind)
  }

  constructor(scanners: readonly ScannerOfText[], { isJson }: { isJson: boolean }) {
    this.#scanners = scanners
    this.#settled = scanners.map(() => 0)
    this.#json = isJson ? new JsonLines() : null
  }

  /** What scanners read: the text that is not settled, and some before it. */
  get view(): string {
    return this.#view
  }

  /** The offset of the view's first unit in the whole view. */
  get base(): number {
    return this.#base
  }

  text(part: string): void {
    for (let from = 0; from < part.length; from += maxPart) {
      this.#append(part.length <= maxPart ? part : part.slice(from, from + maxPart))
      if (this.#view.length > maxPart) this.#settle(false)
    }
  }

  value(rendered: string): void {
    this.#json?.noteValue()
    this.#add(opaque, this.#rawBase + this.#raw.length, unit.fixed)
    this.#raw += rendered
    this.#rawRead = this.#rawBase + this.#raw.length
  }

  take(isWhole: boolean): string {
    this.#settle(isWhole)
    const ready = this.#ready
    this.#ready = ''
    return ready
  }

  /**
   * Replaces a range when it is sent; an empty replacement removes it. Names, signs and restored values in it stay.
   */
  cover(start: number, end: number, replacement: string): void {
    for (let from = start; from < end; ) {
      const kind = this.#kindAt(from)
      let to = from + 1
      while (to < end && this.#kindAt(to) === kind) to++
      if (kind === unit.value) this.#coverValue(from, to, replacement)
      else if (kind === unit.number) {
        // A number is replaced whole.
        while (this.#kindAt(to) === unit.number) to++
        this.#edits.push({ start: from, end: to, cover: replacement === '' ? '' : `"${replacement}"` })
      }
      from = to
    }
  }

  #coverValue(from: number, to: number, cover: string): void {
    let [start, end] = [from, to]
    if (cover !== '') {
      while (start < end && this.#isBlank(start)) start++
      while (end > start && this.#isBlank(end - 1)) end--
    }
    if (end > start) this.#edits.push({ start, end, cover })
  }

  #isBlank(at: number): boolean {
    return this.#view.charCodeAt(at - this.#base) <= 0x20
  }

  #kindAt(at: number): number | undefined {
    return this.#kinds[at - this.#base]
  }

  #append(part: string): void {
    const at = this.#rawBase + this.#raw.length
    this.#raw += part
    if (this.#json !== null) {
      this.#rawRead = this.#json.read(part, at, this.#add)
      return
    }
    this.#view += part
    for (let index = 0; index < part.length; index++) {
      this.#places.push(at + index)
      this.#kinds.push(unit.value)
    }
    this.#rawRead = at + part.length
  }

  #settle(isWhole: boolean): void {
    const end = this.#base + this.#view.length
    let cut = end
    for (const [index, { scanner, isEnforced }] of this.#scanners.entries()) {
      const settled = scanner.read(this, isWhole)
      this.#settled[index] = settled
      if (isEnforced) cut = Math.min(cut, settled)
    }
    this.#send(Math.max(cut, this.#sent), isWhole)
    this.#forget()
  }

  #send(until: number, isWhole: boolean): void {
    const isInsidePair = (this.#view.charCodeAt(until - this.#base) & 0xfc00) === 0xdc00
    let cut = isInsidePair && until > this.#sent ? until - 1 : until
    let sent = this.#sent
    let ready = ''
    let done = 0
    for (const { start, end, cover } of this.#edits) {
      if (end > cut) {
        cut = Math.max(sent, Math.min(cut, start))
        break
      }
      done++
      ready += this.#rawBetween(sent, start) + cover
      sent = end
    }
    if (done > 0) this.#edits = this.#edits.slice(done)
    const rest = isWhole ? this.#raw.slice(this.#rawAt(sent) - this.#rawBase) : this.#rawBetween(sent, cut)
    this.#ready += ready + rest
    this.#sent = Math.max(cut, sent)
  }

  #rawBetween(start: number, end: number): string {
    return this.#raw.slice(this.#rawAt(start) - this.#rawBase, this.#rawAt(end) - this.#rawBase)
  }

  #rawAt(at: number): number {
    return this.#places[at - this.#base] ?? this.#rawRead
  }

  /** Keeps the context of what is not settled. */
  #forget(): void {
    const needed = Math.min(this.#sent, ...this.#settled)
    const drop = needed - this.#base - contextLength
    // Not with each piece: it moves all that stays.
    if (drop < contextLength) return
    const raw = this.#rawAt(this.#base + drop)
    this.#raw = this.#raw.slice(raw - this.#rawBase)
    this.#rawBase = raw
    this.#view = this.#view.slice(drop)
    this.#places = this.#places.slice(drop)
    this.#kinds = this.#kinds.slice(drop)
    this.#base += drop
  }
}
