// A deterministic automaton that is built while it reads: each state is a set of instructions of the program, and each
// transition is computed once. Its memory is bounded: states that were dropped are built again.

import { type CharacterSet, hasCharacter } from '../../../domain/patterns/character-set.ts'
import type { Assertion } from '../../../domain/patterns/pattern.ts'
import type { Alphabet } from './alphabet.ts'
import { assertionOf, kinds, type Program } from './program.ts'
import type { StateMemory } from './state-memory.ts'
import { type AutomatonState, type Before, before, States, type Transition } from './states.ts'

/** In steps of a work budget, by measurement. */
const stepsOfTransition = 250
const stepsOfVisit = 8
const stepsOfTarget = 13

const noMatch: readonly number[] = []

export class Automaton {
  /** The work of building so far, in steps of a work budget. */
  built = 0
  readonly #program: Program
  readonly #alphabet: Alphabet
  /** A match may also begin at any later character. */
  readonly #searches: boolean
  readonly #states: States
  /** By instruction: the last visit. */
  readonly #visitedAt: Uint32Array
  #visit = 0
  readonly #open: Uint32Array
  /** One bit for each instruction that follows. */
  readonly #targets: Uint32Array

  constructor(program: Program, alphabet: Alphabet, searches: boolean, memory: StateMemory) {
    const { size } = program
    this.#program = program
    this.#alphabet = alphabet
    this.#searches = searches
    this.#states = new States(memory)
    this.#visitedAt = new Uint32Array(size)
    this.#open = new Uint32Array(size)
    this.#targets = new Uint32Array((size + 31) >>> 5)
  }

  /** Must be called before each text. */
  use(): void {
    this.#states.use()
  }

  initial(readBefore: Before): AutomatonState {
    return this.#states.initial(this.#program.hasAssertions ? readBefore : before.other, this.#program.starts)
  }

  step(state: AutomatonState, characterClass: number): Transition {
    return state.transitions[characterClass] ?? this.#build(state, characterClass)
  }

  #build(state: AutomatonState, characterClass: number): Transition {
    const matched = this.#follow(state, characterClass)
    const isWord = this.#alphabet.isWord[characterClass] === 1
    const readBefore = this.#program.hasAssertions && isWord ? before.word : before.other
    const next = this.#states.of(this.#takeTargets(), readBefore)
    const transition = { matched, next }
    this.#states.link(state, characterClass, transition)
    return transition
  }

  /** Marks the instructions that follow a character of the class. Returns the patterns that match before it. */
  #follow(state: AutomatonState, characterClass: number): readonly number[] {
    const { kinds: kindOf, next, other, sets, starts } = this.#program
    const character = this.#alphabet.characterOf(characterClass)
    const matched: number[] = []
    if (this.#searches) for (const start of starts) this.#aim(start)
    this.#nextVisit()
    const visitedAt = this.#visitedAt
    const open = this.#open
    let visits = 0
    let count = 0
    const add = (at: number) => {
      if (visitedAt[at] === this.#visit) return
      visitedAt[at] = this.#visit
      open[count++] = at
      visits++
    }
    for (const first of state.instructions) {
      add(first)
      while (count > 0) {
        const at = open[--count] as number
        const kind = kindOf[at]
        const follower = next[at] as number
        if (kind === kinds.read) {
          if (hasCharacter(sets[other[at] as number] as CharacterSet, character)) this.#aim(follower)
        } else if (kind === kinds.match) matched.push(follower)
        else if (kind === kinds.split) {
          add(follower)
          add(other[at] as number)
        } else if (holds(assertionOf(other[at] as number), state.before, characterClass, this.#alphabet)) add(follower)
      }
    }
    this.built += stepsOfTransition + stepsOfVisit * visits
    return matched.length === 0 ? noMatch : matched
  }

  #aim(at: number): void {
    const word = at >>> 5
    this.#targets[word] = (this.#targets[word] as number) | (1 << (at & 31))
  }

  /** The marked instructions, in order. No longer marked afterwards. */
  #takeTargets(): number[] {
    const taken: number[] = []
    for (let word = 0; word < this.#targets.length; word++) {
      let bits = this.#targets[word] as number
      if (bits === 0) continue
      this.#targets[word] = 0
      for (; bits !== 0; bits &= bits - 1) taken.push(word * 32 + 31 - Math.clz32(bits & -bits))
    }
    this.built += (this.#targets.length >>> 2) + stepsOfTarget * taken.length
    return taken
  }

  #nextVisit(): void {
    this.#visit++
    if (this.#visit <= 0xffffffff) return
    this.#visitedAt.fill(0)
    this.#visit = 1
  }
}

function holds(assertion: Assertion, readBefore: Before, next: number, alphabet: Alphabet): boolean {
  if (assertion === 'start') return readBefore === before.nothing
  if (assertion === 'end') return next === alphabet.size
  const isBoundary = (readBefore === before.word) !== (alphabet.isWord[next] === 1)
  return isBoundary === (assertion === 'boundary')
}
