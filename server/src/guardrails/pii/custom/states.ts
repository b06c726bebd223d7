// The states of one automaton that are built so far, each found by its set of instructions.

import type { StateMemory, StateStore } from './state-memory.ts'

/** What was read before a state; only assertions depend on it. */
export const before = { nothing: 0, word: 1, other: 2 } as const
export type Before = (typeof before)[keyof typeof before]

export interface AutomatonState {
  /** Sorted. Empty if nothing can match any more. */
  instructions: readonly number[]
  before: Before
  /** By class. */
  transitions: (Transition | undefined)[]
  /** Another state with the same hash. */
  next: AutomatonState | undefined
}

export interface Transition {
  /** The patterns that match before the character of this transition. */
  matched: readonly number[]
  next: AutomatonState
}

const wordsOfState = 24
const wordsOfTransition = 8
/** The runtime keeps a longer list with gaps as a table. */
const mostWordsOfGap = 1_024

export class States implements StateStore {
  readonly #memory: StateMemory
  readonly #byHash = new Map<number, AutomatonState>()
  /** By what was read before. */
  #initial: (AutomatonState | undefined)[] = []

  constructor(memory: StateMemory) {
    this.#memory = memory
  }

  use(): void {
    this.#memory.use(this)
  }

  clear(): void {
    for (const first of this.#byHash.values()) {
      for (let state: AutomatonState | undefined = first; state !== undefined; ) {
        const { next }: AutomatonState = state
        state.transitions = []
        state.next = undefined
        state = next
      }
    }
    this.#byHash.clear()
    this.#initial = []
  }

  initial(readBefore: Before, instructions: readonly number[]): AutomatonState {
    const known = this.#initial[readBefore]
    if (known !== undefined) return known
    const state = this.of(instructions, readBefore)
    this.#initial[readBefore] = state
    return state
  }

  of(instructions: readonly number[], readBefore: Before): AutomatonState {
    const hash = hashOf(instructions, readBefore)
    for (let state = this.#byHash.get(hash); state !== undefined; state = state.next) {
      if (state.before === readBefore && areEqual(state.instructions, instructions)) return state
    }
    this.#memory.grow(this, wordsOfState + instructions.length)
    const state: AutomatonState = { instructions, before: readBefore, transitions: [], next: this.#byHash.get(hash) }
    this.#byHash.set(hash, state)
    return state
  }

  link(state: AutomatonState, characterClass: number, transition: Transition): void {
    const gap = Math.max(0, characterClass + 1 - state.transitions.length)
    this.#memory.grow(this, wordsOfTransition + transition.matched.length + Math.min(gap, mostWordsOfGap))
    state.transitions[characterClass] = transition
  }
}

function hashOf(instructions: readonly number[], readBefore: Before): number {
  let hash: number = readBefore
  for (const instruction of instructions) hash = (Math.imul(hash, 0x01000193) + instruction + 1) | 0
  return hash
}

function areEqual(one: readonly number[], other: readonly number[]): boolean {
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}
