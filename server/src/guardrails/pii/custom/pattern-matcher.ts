// Finds the matches of all patterns in a text of any length. An automaton that reads backwards marks where matches
// begin, one step for each character; another one reads forwards from these places only, to the longest match.

import type { PatternNode } from '../../../domain/patterns/pattern.ts'
import type { WorkBudget } from '../../work-budget.ts'
import { type Alphabet, createAlphabet } from './alphabet.ts'
import { Automaton, before } from './automaton.ts'
import { compileProgram, setsOf } from './program.ts'

export interface PatternMatch {
  pattern: number
  start: number
  end: number
}

export interface PatternMatcher {
  /** Yields matches that do not overlap, in the order of the text, and null now and then, so that others can run. */
  find(
    text: string,
    budget: Pick<WorkBudget, 'spend'>,
    accepts: Accepts,
    from?: number,
  ): Generator<PatternMatch | null, void>
  /** The first offset from `floor` on where a match may begin that a later text completes, or the text's length. */
  openEndOf(text: string, floor: number, budget: Pick<WorkBudget, 'spend'>): number
}

/** A match that is not accepted does not keep others away. */
export type Accepts = (match: PatternMatch) => boolean

/** In UTF-16 units. Longer matches are not found. */
export const maxMatch = 256
const stretch = 4_096
const stepsPerCheck = 64

interface Automata {
  alphabet: Alphabet
  forwards: Automaton
  backwards: Automaton
}

export function createPatternMatcher(patterns: readonly PatternNode[]): PatternMatcher {
  const alphabet = createAlphabet(patterns.flatMap(setsOf))
  const forwards = new Automaton(compileProgram(patterns, alphabet, 'forwards'), alphabet, { searches: false })
  const reversed = compileProgram(patterns, alphabet, 'backwards')
  const backwards = new Automaton(reversed, alphabet, { searches: true })
  // Where the text ends, a match may have been read up to any instruction.
  const everywhere = { ...reversed, starts: [...reversed.instructions.keys()] }
  const beginnings = new Automaton(everywhere, alphabet, { searches: false })
  const automata = { alphabet, forwards, backwards }
  return {
    *find(text, budget, accepts, first = 0) {
      let free = 0
      for (let from = first; from < text.length; from += stretch) {
        const to = Math.min(from + stretch, text.length)
        const meter = createMeter(automata, budget)
        const starts = yield* findStarts(automata, text, { from, to }, meter)
        for (const start of starts) {
          if (start < free) continue
          const { match, readTo } = findLongest(automata, text, start, accepts)
          if (meter.spend(readTo - start + 1)) yield null
          if (match === null) continue
          free = match.end
          yield match
        }
        yield null
      }
    },

    openEndOf(text, floor, budget) {
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
}

/** Building a state may take as long as thousands of steps. */
const stepsPerYield = 50_000

function createMeter({ forwards, backwards }: Automata, budget: Pick<WorkBudget, 'spend'>): Meter {
  let built = forwards.built + backwards.built
  let held = 0
  return {
    spend(steps) {
      const before = built
      built = forwards.built + backwards.built
      budget.spend(steps + built - before)
      held += steps + built - before
      if (held < stepsPerYield) return false
      held = 0
      return true
    },
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
  for (;;) {
    const code = codePointBefore(text, at)
    const { matched, next } = backwards.step(state, code === -1 ? alphabet.size : alphabet.classOf(code))
    if (matched.length > 0 && at >= from && at < to) starts.push(at)
    if (code === -1 || at < from) break
    state = next
    at -= code > 0xffff ? 2 : 1
    if (at % stepsPerCheck === 0 && meter.spend(stepsPerCheck)) yield null
  }
  return starts.reverse()
}

function findLongest(
  { alphabet, forwards }: Automata,
  text: string,
  start: number,
  accepts: Accepts,
): { match: PatternMatch | null; readTo: number } {
  const ends = new Map<number, number>()
  const previous = codePointBefore(text, start)
  let state = forwards.initial(beforeClass(alphabet, previous === -1 ? undefined : previous))
  let at = start
  while (at <= start + maxMatch && state.instructions.length > 0) {
    const code = text.codePointAt(at)
    const { matched, next } = forwards.step(state, code === undefined ? alphabet.size : alphabet.classOf(code))
    for (const pattern of matched) ends.set(pattern, at)
    if (code === undefined) break
    state = next
    at += code > 0xffff ? 2 : 1
  }
  let longest: PatternMatch | null = null
  for (const [pattern, end] of ends) {
    const match = { pattern, start, end }
    if (end > (longest?.end ?? start) && accepts(match)) longest = match
  }
  return { match: longest, readTo: at }
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
