// Finds all terms of a project's blocklist in a text in one pass (Aho-Corasick). A term that begins or ends with a
// letter or digit must do so at a word boundary, except in scripts without word boundaries.

import { normalForm } from '../../domain/normal-form.ts'
import { isInvisible, lookalikeFolds, plainFolds, unitKind, unitKinds } from './code-units.ts'

export interface Blocklist {
  /**
   * Adds the numbers of the terms in the text to `found`. Yields after each slice of the text, so that others can run,
   * with the number of terms checked since the last yield.
   */
  findTerms(text: string, found: Set<number>): Generator<number, void>
  /** The terms as states, with the length of the longest; null if there are no terms. */
  states: TermStates | null
}

export interface TermStates {
  root: State
  maxLength: number
}

export interface State {
  /** How many units of a term lead here. */
  depth: number
  next: Map<number, State>
  fallback: State | null
  /** The terms that end here. */
  ending: { term: number; length: number }[]
  /**
   * The state of the longest shorter term that ends here too. A chain, because a list of all such terms for each state
   * would be long.
   */
  shorter: State | null
}

const space = 0x20
/**
 * Code units to read between two yields. Normalisation turns one into at most eighteen, and a term may end at each.
 */
const sliceLength = 1_024
/** A slice exceeds its length by at most this much, so that it does not end within a character. */
export const maxTrailing = 256
export const beyondAscii = /[^\0-\x7f]/
/** Normalisation may join these, or their decomposition, with the character before. */
const joinsPrevious = /^[\p{M}\u1160-\u11ff\u3131-\u318e\ud7b0-\ud7ff\uff9e-\uffdc\u{16d67}\u{16d68}]/u

export function createBlocklist(source: readonly string[]): Blocklist {
  const terms = new Set(source.map(term => foldTerm(term, plainFolds).trim()))
  terms.delete('')
  const { root, maxLength } = buildStates([...terms])
  return {
    *findTerms(text, found) {
      if (terms.size === 0) return
      const matchers = [new TermMatcher(root, maxLength, plainFolds, found)]
      if (beyondAscii.test(text)) matchers.push(new TermMatcher(root, maxLength, lookalikeFolds, found))
      for (const slice of cutForComposing(text)) {
        const composed = compose(slice)
        for (const matcher of matchers) yield matcher.read(composed)
      }
      for (const matcher of matchers) yield matcher.end()
    },
    states: terms.size === 0 ? null : { root, maxLength },
  }
}

/** Each slice normalises to the same as within the whole text. */
function* cutForComposing(text: string): Generator<string> {
  let start = 0
  while (text.length - start > sliceLength) {
    let end = start + sliceLength
    const farthest = end + maxTrailing
    while (end < farthest && end < text.length && isWithin(text, end)) end++
    yield text.slice(start, end)
    start = end
  }
  yield text.slice(start)
}

export function isWithin(text: string, at: number): boolean {
  const isInsidePair = (text.charCodeAt(at) & 0xfc00) === 0xdc00
  return isInsidePair || joinsPrevious.test(text.slice(at, at + 2))
}

export function compose(text: string): string {
  if (!beyondAscii.test(text)) return text
  return normalForm(text, 'NFKC').replaceAll('ß', 'ss').replaceAll('ẞ', 'ss').replaceAll('ς', 'σ')
}

/** Reads one text slice by slice; a term may continue from one slice to the next. */
export class TermMatcher {
  readonly #root: State
  readonly #folds: Uint16Array
  readonly #found: Set<number>
  /** Whether each of the last units is a letter, as many as the longest term has. */
  readonly #letters: Uint8Array
  readonly #mask: number
  #state: State
  /** Units read; repeated white space counts once. */
  #count = 0
  #endsInSpace = false
  /** Where terms end with the last unit. The next unit shows whether a word ends there. */
  #ended: State | null = null

  constructor(root: State, maxLength: number, folds: Uint16Array, found: Set<number>) {
    this.#root = root
    this.#state = root
    this.#folds = folds
    this.#found = found
    this.#letters = new Uint8Array(2 ** Math.ceil(Math.log2(maxLength + 2)))
    this.#mask = this.#letters.length - 1
  }

  /** How many of the last units may belong to a term that continues, or whose end the next unit shows. */
  get depth(): number {
    return this.#state.depth
  }

  /** Returns how many terms it has checked. */
  read(composed: string): number {
    let looked = 0
    for (let at = 0; at < composed.length; at++) {
      const code = foldUnit(composed.charCodeAt(at), this.#folds)
      const isSpace = code === space
      if (code === 0 || (isSpace && this.#endsInSpace)) continue
      this.#endsInSpace = isSpace
      const letter = isLetter(code) ? 1 : 0
      if (this.#ended !== null) looked += this.#report(letter)
      this.#letters[this.#count++ & this.#mask] = letter
      this.#step(code)
    }
    return looked
  }

  end(): number {
    return this.#ended === null ? 0 : this.#report(0)
  }

  #step(code: number): void {
    let state = this.#state
    while (state !== this.#root && !state.next.has(code)) state = state.fallback!
    state = state.next.get(code) ?? this.#root
    this.#state = state
    this.#ended = state.ending.length > 0 ? state : state.shorter
  }

  /** `next` is 1 if a letter follows. */
  #report(next: number): number {
    let ended = this.#ended
    this.#ended = null
    // All terms that end here share the same word boundary.
    if (next === 1 && this.#letterAt(this.#count - 1) === 1) return 0
    let looked = 0
    for (; ended !== null; ended = ended.shorter) {
      for (const { term, length } of ended.ending) {
        looked++
        if (!this.#found.has(term) && this.#beginsAlone(this.#count - length)) this.#found.add(term)
      }
    }
    return looked
  }

  #beginsAlone(start: number): boolean {
    return this.#letterAt(start) === 0 || this.#letterAt(start - 1) === 0
  }

  #letterAt(place: number): number {
    return place < 0 ? 0 : this.#letters[place & this.#mask]!
  }
}

/**
 * Adds each term in two forms, plain and with look-alikes folded: folding may map a capital and its small letter
 * differently.
 */
function buildStates(terms: readonly string[]): TermStates {
  const root: State = { depth: 0, next: new Map(), fallback: null, ending: [], shorter: null }
  let maxLength = 0
  terms.forEach((term, number) => {
    for (const form of new Set([term, foldTerm(term, lookalikeFolds)])) {
      stateOf(root, form).ending.push({ term: number, length: form.length })
      maxLength = Math.max(maxLength, form.length)
    }
  })
  const open = [...root.next.values()]
  for (const state of open) {
    for (const [code, next] of state.next) {
      let fallback = state.fallback
      while (fallback && !fallback.next.has(code)) fallback = fallback.fallback
      next.fallback = fallback?.next.get(code) ?? root
      next.shorter = next.fallback.ending.length > 0 ? next.fallback : next.fallback.shorter
      open.push(next)
    }
  }
  return { root, maxLength }
}

function stateOf(root: State, form: string): State {
  let state = root
  for (let at = 0; at < form.length; at++) {
    const code = form.charCodeAt(at)
    const next = state.next.get(code) ?? {
      depth: state.depth + 1,
      next: new Map(),
      fallback: root,
      ending: [],
      shorter: null,
    }
    state.next.set(code, next)
    state = next
  }
  return state
}

function isLetter(code: number): boolean {
  return unitKinds[code] === unitKind.word || isMark[code] === 1
}

const isMark = new Uint8Array(0x10000)
const mark = /\p{Mn}|\p{Me}/u
/** Marks of any script that remain after composition are decoration. */
const decoration = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/
for (let code = 0x300; code < 0x10000; code++) {
  const character = String.fromCharCode(code)
  if ((code & 0xf800) !== 0xd800 && mark.test(character) && !decoration.test(character)) isMark[code] = 1
}

/** Folds case and form; 0 if the unit is dropped. Accents are kept, because they distinguish words. */
export function foldUnit(code: number, folds: Uint16Array): number {
  if ((code & 0xf800) === 0xd800 || (isMark[code] === 1 && isInvisible[code] === 0)) return code
  return code === 0x0a ? space : folds[code]!
}

export function foldTerm(term: string, folds: Uint16Array): string {
  let folded = ''
  for (const unit of compose(term).split('')) {
    const code = foldUnit(unit.charCodeAt(0), folds)
    if (code === 0 || (code === space && folded.endsWith(' '))) continue
    folded += String.fromCharCode(code)
  }
  return folded
}
