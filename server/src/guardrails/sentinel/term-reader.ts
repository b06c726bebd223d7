// Reads one text that arrives in pieces for the terms of a blocklist.

import {
  beyondAscii,
  compose,
  foldTerm,
  foldUnit,
  isWithin,
  maxTrailing,
  type State,
  TermMatcher,
  type TermStates,
} from './blocklist.ts'
import { lookalikeFolds, plainFolds } from './code-units.ts'

const space = 0x20
/** Invisible characters between the letters of a term do not make it longer than this. */
const maxHeld = 1_024

/** Reads the pieces as one text. Looks for look-alikes from the first character on that may be one. */
export class TermReader {
  readonly #root: State
  readonly #maxLength: number
  readonly #found: Set<number>
  readonly #plain: TermMatcher
  #lookalike: TermMatcher | null = null
  /** The last character: what follows may be joined to it. */
  #pending = ''
  /** The end of what was read before it. */
  #tail = ''

  constructor({ root, maxLength }: TermStates, found: Set<number>) {
    this.#root = root
    this.#maxLength = maxLength
    this.#found = found
    this.#plain = new TermMatcher(root, maxLength, plainFolds, found)
  }

  /** Returns how many units at the end of what was read may belong to a term that continues. */
  read(piece: string): number {
    const text = this.#pending + piece
    let end = text.length - 1
    while (end > 0 && text.length - end < maxTrailing && isWithin(text, end)) end--
    this.#readPart(text.slice(0, Math.max(end, 0)))
    this.#pending = text.slice(Math.max(end, 0))
    const depth = Math.max(this.#plain.depth, this.#lookalike?.depth ?? 0)
    return depth > 0 ? this.#pending.length + this.#unitsOf(depth) : this.#mayBegin() ? this.#pending.length : 0
  }

  /** The text is complete. */
  end(): void {
    this.#readPart(this.#pending)
    this.#pending = ''
    this.#plain.end()
    this.#lookalike?.end()
  }

  #readPart(part: string): void {
    if (part === '') return
    if (this.#lookalike === null && beyondAscii.test(part)) {
      this.#lookalike = new TermMatcher(this.#root, this.#maxLength, lookalikeFolds, this.#found)
      this.#lookalike.read(compose(this.#tail))
    }
    const composed = compose(part)
    this.#plain.read(composed)
    this.#lookalike?.read(composed)
    this.#tail = (this.#tail + part).slice(-maxHeld)
  }

  #mayBegin(): boolean {
    const folded = foldTerm(this.#pending, plainFolds)
    return beyondAscii.test(this.#pending) || this.#root.next.has(folded.charCodeAt(0))
  }

  /** At least as many characters as these units of a term were folded from. */
  #unitsOf(depth: number): number {
    let at = this.#tail.length
    for (let units = 0; units < depth && at > 0; ) {
      at--
      const code = this.#tail.charCodeAt(at)
      const isRepeatedSpace = plainFolds[code] === space && plainFolds[this.#tail.charCodeAt(at - 1)] === space
      if (!isRepeatedSpace && foldUnit(code, plainFolds) !== 0 && !isWithin(this.#tail, at)) units++
    }
    return this.#tail.length - at
  }
}
