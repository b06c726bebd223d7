// Finds the matches of all patterns in a text of any length. An automaton that reads backwards marks where matches
// begin, one step for each character; another one reads forwards from these places only, to the longest match.

import type { CharacterSet } from '../../../domain/patterns/character-set.ts'
import type { PatternNode } from '../../../domain/patterns/pattern.ts'
import type { WorkBudget } from '../../work-budget.ts'
import { type Alphabet, createAlphabet } from './alphabet.ts'
import { Automaton } from './automaton.ts'
import { collectSets, compileProgram } from './program.ts'
import { statesOfProcess } from './state-memory.ts'
import { type AutomatonState, before } from './states.ts'

export interface PatternMatch {
  pattern: number
  start: number
  end: number
}

/** The budget also says what `accepts` has spent. */
type Budget = Pick<WorkBudget, 'spend' | 'spent'>

export interface PatternMatcher {
  /** Yields matches that do not overlap, in the order of the text, and null now and then, so that others can run. */
  find(text: string, budget: Budget, accepts: Accepts, from?: number): Generator<PatternMatch | null, void>
  /** The first offset from `floor` on where a match may begin that a later text completes, or the text's length. */
  openEndOf(text: string, floor: number, budget: Pick<WorkBudget, 'spend'>): number
}

/** A match that is not accepted does not keep others away. */
export type Accepts = (match: PatternMatch) => boolean

/** In UTF-16 units. Longer matches are not found. */
export const maxMatch = 256
const stretch = 4_096

interface Automata {
  alphabet: Alphabet
  forwards: Automaton
  backwards: Automaton
}

/** Yields so that others can run. */
export function* createPatternMatcher(
  patterns: readonly PatternNode[],
  memory = statesOfProcess,
): Generator<void, PatternMatcher> {
  const sets = new Set<CharacterSet>()
  for (const pattern of patterns) collectSets(pattern, sets)
  yield
  const alphabet = yield* createAlphabet([...sets])
  const forwards = new Automaton(yield* compileProgram(patterns, 'forwards'), alphabet, false, memory)
  const reversed = yield* compileProgram(patterns, 'backwards')
  const backwards = new Automaton(reversed, alphabet, true, memory)
  // Where the text ends, a match may have been read up to any instruction.
  const everywhere = { ...reversed, starts: Array.from({ length: reversed.size }, (_, at) => at) }
  const beginnings = new Automaton(everywhere, alphabet, false, memory)
  const automata = { alphabet, forwards, backwards }
  return {
    *find(text, budget, accepts, first = 0) {
      forwards.use()
      backwards.use()
      const meter = createMeter(automata, budget)
      let free = 0
      for (let from = first; from < text.length; from += stretch) {
        const to = Math.min(from + stretch, text.length)
        const starts = yield* findStarts(automata, text, { from, to }, meter)
        for (const start of starts) {
          if (start < free) continue
          const walk = new Walk(automata, text, start)
          while (!walk.advance()) if (meter.spend(0)) yield* meter.rest()
          const match = walk.longest(accepts)
          if (meter.spend(walk.steps)) yield* meter.rest()
          if (match === null) continue
          free = match.end
          yield match
          meter.resume()
        }
        yield* meter.rest()
      }
    },

    openEndOf(text, floor, budget) {
      beginnings.use()
      const end = endsInPair(text) ? text.length - 1 : text.length
      const from = Math.max(floor, end - maxMatch)
      let open = end
      let state = beginnings.initial(before.other)
      for (let at = end; state.instructions.length > 0; ) {
        const built = beginnings.built
        const code = codePointBefore(text, at)
        const { matched, next } = beginnings.step(state, code === -1 ? alphabet.size : alphabet.classOf(code))
        budget.spend(1 + beginnings.built - built)
        if (matched.length > 0) open = at
        if (at <= from) break
        state = next
        at -= code > 0xffff ? 2 : 1
      }
      return Math.max(floor, open)
    },
  }
}

/** Whether the text ends with the first half of a character. */
function endsInPair(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800
}

interface Meter {
  /** Spends the steps and what was built since the last call. True if others should run. */
  spend(steps: number): boolean
  rest(): Generator<null, void>
  /** Must be called after a yield: what others build is not this text's work. */
  resume(): void
}

/** A fraction of a millisecond. */
const stepsPerYield = 100_000
/** How much is built, or how many characters are read, before the meter is asked. */
const stepsPerCheck = 20_000
const charactersPerCheck = 64
/** By measurement. */
const stepsPerWalk = 15
const stepsPerEnd = 8

function createMeter({ forwards, backwards }: Automata, budget: Budget): Meter {
  let built = forwards.built + backwards.built
  let yieldAt = budget.spent + stepsPerYield
  const resume = () => {
    built = forwards.built + backwards.built
    yieldAt = budget.spent + stepsPerYield
  }
  function* rest() {
    yield null
    resume()
  }
  return {
    spend(steps) {
      const before = built
      built = forwards.built + backwards.built
      budget.spend(steps + built - before)
      return budget.spent >= yieldAt
    },
    rest,
    resume,
  }
}

/** Where matches begin in [from, to), in the order of the text. */
function* findStarts(
  { alphabet, backwards }: Automata,
  text: string,
  { from, to }: { from: number; to: number },
  meter: Meter,
): Generator<null, number[]> {
  const starts: number[] = []
  let at = alignedToCodePoint(text, Math.min(to + maxMatch, text.length))
  let state = backwards.initial(beforeClass(alphabet, text.codePointAt(at)))
  let checkAt = backwards.built + stepsPerCheck
  for (;;) {
    const code = codePointBefore(text, at)
    const { matched, next } = backwards.step(state, code === -1 ? alphabet.size : alphabet.classOf(code))
    if (matched.length > 0 && at >= from && at < to) starts.push(at)
    if (code === -1 || at < from) break
    state = next
    at -= code > 0xffff ? 2 : 1
    if (at % charactersPerCheck !== 0 && backwards.built < checkAt) continue
    if (meter.spend(at % charactersPerCheck === 0 ? charactersPerCheck : 0)) yield* meter.rest()
    checkAt = backwards.built + stepsPerCheck
  }
  return starts.reverse()
}

/** Reads forwards from a place where a match begins, to the longest one. */
class Walk {
  steps = stepsPerWalk
  #at: number
  readonly #automata: Automata
  readonly #text: string
  readonly #start: number
  #state: AutomatonState
  /** Each end of a match, with the patterns that match there. */
  readonly #ends: { at: number; matched: readonly number[] }[] = []

  constructor(automata: Automata, text: string, start: number) {
    const previous = codePointBefore(text, start)
    this.#automata = automata
    this.#text = text
    this.#start = start
    this.#at = start
    this.#state = automata.forwards.initial(beforeClass(automata.alphabet, previous === -1 ? undefined : previous))
  }

  /** False if the meter should be asked before it goes on. */
  advance(): boolean {
    const { alphabet, forwards } = this.#automata
    const checkAt = forwards.built + stepsPerCheck
    while (this.#at <= this.#start + maxMatch && this.#state.instructions.length > 0) {
      if (forwards.built >= checkAt) return false
      const code = this.#text.codePointAt(this.#at)
      const { matched, next } = forwards.step(this.#state, code === undefined ? alphabet.size : alphabet.classOf(code))
      this.steps += 1 + stepsPerEnd * matched.length
      if (matched.length > 0) this.#ends.push({ at: this.#at, matched })
      if (code === undefined) break
      this.#state = next
      this.#at += code > 0xffff ? 2 : 1
    }
    return true
  }

  /** Of each pattern only the longest match is asked for. */
  longest(accepts: Accepts): PatternMatch | null {
    let refused: Set<number> | undefined
    for (const { at: end, matched } of this.#ends.reverse()) {
      if (end === this.#start) continue
      for (const pattern of matched) {
        if (refused?.has(pattern)) continue
        const match = { pattern, start: this.#start, end }
        if (accepts(match)) return match
        refused ??= new Set()
        refused.add(pattern)
      }
    }
    return null
  }
}

function beforeClass(alphabet: Alphabet, code: number | undefined) {
  if (code === undefined) return before.nothing
  return alphabet.isWord[alphabet.classOf(code)] === 1 ? before.word : before.other
}

/** -1 at the start of the text. */
function codePointBefore(text: string, at: number): number {
  if (at === 0) return -1
  const unit = text.charCodeAt(at - 1)
  const isLow = (unit & 0xfc00) === 0xdc00 && at > 1 && (text.charCodeAt(at - 2) & 0xfc00) === 0xd800
  return isLow ? (text.codePointAt(at - 2) as number) : unit
}

function alignedToCodePoint(text: string, at: number): number {
  const isInside = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  return isInside ? at - 1 : at
}
