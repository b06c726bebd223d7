// Compiles patterns into one nondeterministic automaton, to be read forwards or backwards.

import type { CharacterSet } from '../../../domain/patterns/character-set.ts'
import type { Assertion, PatternNode } from '../../../domain/patterns/pattern.ts'

export const kinds = { read: 0, split: 1, assert: 2, match: 3 } as const

type Instruction =
  | { kind: 'read'; set: CharacterSet; next: number }
  | { kind: 'split'; next: number; other: number }
  | { kind: 'assert'; assertion: Assertion; next: number }
  /** `pattern` is the number of the pattern that matches. */
  | { kind: 'match'; pattern: number }

/** The instructions by columns, which are faster to read. */
export interface Program {
  size: number
  kinds: Uint8Array
  /** The instruction that follows. Of a match: its pattern. */
  next: Uint32Array
  /** For a split the other instruction that follows, for a read its set, for an assertion which one it is. */
  other: Uint32Array
  sets: readonly CharacterSet[]
  /** Where each pattern begins, in the order of the instructions. */
  starts: readonly number[]
  hasAssertions: boolean
}

const assertions: readonly Assertion[] = ['start', 'end', 'boundary', 'noBoundary']

export type Direction = 'forwards' | 'backwards'

/** Yields after each pattern, so that others can run. */
export function* compileProgram(patterns: readonly PatternNode[], direction: Direction): Generator<void, Program> {
  const instructions: Instruction[] = []
  const add = (instruction: Instruction) => instructions.push(instruction) - 1
  const compiler = { add, instructions, isBackwards: direction === 'backwards' }
  const starts: number[] = []
  for (const [pattern, node] of patterns.entries()) {
    starts.push(compile(compiler, node, add({ kind: 'match', pattern })))
    yield
  }
  return columnsOf(instructions, starts)
}

function columnsOf(instructions: readonly Instruction[], starts: readonly number[]): Program {
  const sets = new Map<CharacterSet, number>()
  const numberOf = (set: CharacterSet) => {
    const known = sets.get(set) ?? sets.size
    sets.set(set, known)
    return known
  }
  const otherOf = (instruction: Instruction): number => {
    if (instruction.kind === 'split') return instruction.other
    if (instruction.kind === 'read') return numberOf(instruction.set)
    return instruction.kind === 'assert' ? assertions.indexOf(instruction.assertion) : 0
  }
  return {
    size: instructions.length,
    kinds: Uint8Array.from(instructions, ({ kind }) => kinds[kind]),
    next: Uint32Array.from(instructions, one => (one.kind === 'match' ? one.pattern : one.next)),
    other: Uint32Array.from(instructions, otherOf),
    sets: [...sets.keys()],
    starts: starts.toSorted((one, other) => one - other),
    hasAssertions: instructions.some(({ kind }) => kind === 'assert'),
  }
}

/** Reads the instruction's column `other`. */
export function assertionOf(other: number): Assertion {
  return assertions[other] as Assertion
}

/** Adds the sets of the pattern to `sets`. */
export function collectSets(node: PatternNode, sets: Set<CharacterSet>): void {
  switch (node.kind) {
    case 'set':
      sets.add(node.set)
      break
    case 'sequence':
      for (const part of node.parts) collectSets(part, sets)
      break
    case 'choice':
      for (const option of node.options) collectSets(option, sets)
      break
    case 'repeat':
      collectSets(node.part, sets)
      break
    default:
  }
}

interface Compiler {
  add(instruction: Instruction): number
  instructions: Instruction[]
  isBackwards: boolean
}

/** Returns where the node begins, if `next` follows it. */
function compile(compiler: Compiler, node: PatternNode, next: number): number {
  const { add, isBackwards } = compiler
  switch (node.kind) {
    case 'set':
      return add({ kind: 'read', set: node.set, next })
    case 'assertion':
      return add({ kind: 'assert', assertion: isBackwards ? mirrored[node.assertion] : node.assertion, next })
    case 'sequence': {
      const parts = isBackwards ? node.parts : node.parts.toReversed()
      return parts.reduce((follower, part) => compile(compiler, part, follower), next)
    }
    case 'choice': {
      const begins = node.options.map(option => compile(compiler, option, next))
      return begins.reduce((other, begin) => add({ kind: 'split', next: begin, other }))
    }
    case 'repeat':
      return compileRepeat(compiler, node, next)
  }
}

function compileRepeat(
  compiler: Compiler,
  { part, min, max }: Extract<PatternNode, { kind: 'repeat' }>,
  next: number,
): number {
  const { add, instructions } = compiler
  let begin = next
  let copies = min
  if (max === null) {
    // `a*`, and the last copy of `a+`, loop.
    const loop = add({ kind: 'split', next, other: next })
    const inner = compile(compiler, part, loop)
    instructions[loop] = { kind: 'split', next: inner, other: next }
    begin = min === 0 ? loop : inner
    copies = Math.max(0, min - 1)
  } else {
    for (let optional = min; optional < max; optional++) {
      begin = add({ kind: 'split', next: compile(compiler, part, begin), other: next })
    }
  }
  for (let copy = 0; copy < copies; copy++) begin = compile(compiler, part, begin)
  return begin
}

const mirrored: Readonly<Record<Assertion, Assertion>> = {
  start: 'end',
  end: 'start',
  boundary: 'boundary',
  noBoundary: 'noBoundary',
}
