// A deterministic automaton that is built while it reads: each state is a set of instructions of the program, and each
// transition is computed once. The states are bounded; if there are too many, they are built again.

import type { Assertion } from '../../../domain/patterns/pattern.ts'
import type { Alphabet } from './alphabet.ts'
import type { Instruction, Program } from './program.ts'

/** What was read before a state; only assertions depend on it. */
export const before = { nothing: 0, word: 1, other: 2 } as const
type Before = (typeof before)[keyof typeof before]

export interface AutomatonState {
  /** Sorted. Empty if nothing can match any more. */
  instructions: readonly number[]
  before: Before
  /** By class. */
  transitions: (Transition | undefined)[]
}

export interface Transition {
  /** The patterns that match before the character of this transition. */
  matched: readonly number[]
  next: AutomatonState
}

/** About a megabyte. */
const maxTransitions = 150_000
const minStates = 64

export class Automaton {
  /** The work of building so far: about one for each instruction that was visited. */
  built = 0
  readonly #program: Program
  readonly #alphabet: Alphabet
  /** A match may also begin at any later character. */
  readonly #searches: boolean
  readonly #maxStates: number
  readonly #states = new Map<string, AutomatonState>()
  readonly #starts: readonly number[]
  /** By what was read before. */
  #initial: (AutomatonState | undefined)[] = []
  /** By instruction: the last visit. */
  readonly #visitedAt: Uint32Array
  #visit = 0

  constructor(program: Program, alphabet: Alphabet, { searches }: { searches: boolean }) {
    this.#program = program
    this.#alphabet = alphabet
    this.#searches = searches
    this.#maxStates = Math.max(minStates, Math.floor(maxTransitions / (alphabet.size + 1)))
    this.#visitedAt = new Uint32Array(program.instructions.length)
    this.#starts = program.starts.toSorted((one, other) => one - other)
  }

  initial(readBefore: Before): AutomatonState {
    const known = this.#initial[readBefore]
    if (known !== undefined) return known
    const state = this.#stateOf(this.#starts, readBefore)
    this.#initial[readBefore] = state
    return state
  }

  step(state: AutomatonState, characterClass: number): Transition {
    const known = state.transitions[characterClass]
    if (known !== undefined) return known
    const { matched, targets } = this.#follow(state, characterClass)
    const isWord = this.#alphabet.isWord[characterClass] === 1
    const sorted = [...targets].sort((one, other) => one - other)
    const transition = { matched, next: this.#stateOf(sorted, isWord ? before.word : before.other) }
    state.transitions[characterClass] = transition
    return transition
  }

  #stateOf(instructions: readonly number[], readBefore: Before): AutomatonState {
    const relevant = this.#program.hasAssertions ? readBefore : before.other
    const name = `${relevant} ${instructions.join()}`
    const known = this.#states.get(name)
    if (known !== undefined) return known
    if (this.#states.size >= this.#maxStates) {
      this.#states.clear()
      // They lead to all others.
      this.#initial = []
    }
    const state = { instructions, before: relevant, transitions: [] }
    this.#states.set(name, state)
    return state
  }

  /** The patterns that match before a character of the class, and the instructions that follow it. */
  #follow(state: AutomatonState, characterClass: number): { matched: number[]; targets: Set<number> } {
    const matched: number[] = []
    const targets = new Set<number>(this.#searches ? this.#program.starts : [])
    const open = [...state.instructions]
    this.#visit++
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.#visitedAt[at] === this.#visit) continue
      this.#visitedAt[at] = this.#visit
      this.built++
      const instruction = this.#program.instructions[at] as Instruction
      if (instruction.kind === 'match') matched.push(instruction.pattern)
      else if (instruction.kind === 'split') open.push(instruction.next, instruction.other)
      else if (instruction.kind === 'read') {
        if (instruction.classes[characterClass] === 1) targets.add(instruction.next)
      } else if (holds(instruction.assertion, state.before, characterClass, this.#alphabet)) open.push(instruction.next)
    }
    this.built += targets.size
    return { matched, targets }
  }
}

function holds(assertion: Assertion, readBefore: Before, next: number, alphabet: Alphabet): boolean {
  if (assertion === 'start') return readBefore === before.nothing
  if (assertion === 'end') return next === alphabet.size
  const isBoundary = (readBefore === before.word) !== (alphabet.isWord[next] === 1)
  return isBoundary === (assertion === 'boundary')
}
