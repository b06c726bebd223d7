// Compiles patterns into one nondeterministic automaton, to be read forwards or backwards.

import type { CharacterSet } from '../../../domain/patterns/character-set.ts'
import type { Assertion, PatternNode } from '../../../domain/patterns/pattern.ts'
import type { Alphabet } from './alphabet.ts'

export type Instruction =
  | { kind: 'read'; classes: Uint8Array; next: number }
  | { kind: 'split'; next: number; other: number }
  | { kind: 'assert'; assertion: Assertion; next: number }
  /** `pattern` is the number of the pattern that matches. */
  | { kind: 'match'; pattern: number }

export interface Program {
  instructions: readonly Instruction[]
  /** Where each pattern begins. */
  starts: readonly number[]
  hasAssertions: boolean
}

export type Direction = 'forwards' | 'backwards'

export function compileProgram(patterns: readonly PatternNode[], alphabet: Alphabet, direction: Direction): Program {
  const instructions: Instruction[] = []
  const add = (instruction: Instruction) => instructions.push(instruction) - 1
  const compiler = { add, instructions, alphabet, isBackwards: direction === 'backwards' }
  const starts = patterns.map((pattern, number) => compile(compiler, pattern, add({ kind: 'match', pattern: number })))
  return { instructions, starts, hasAssertions: instructions.some(({ kind }) => kind === 'assert') }
}

export function setsOf(node: PatternNode): CharacterSet[] {
  switch (node.kind) {
    case 'set':
      return [node.set]
    case 'sequence':
      return node.parts.flatMap(setsOf)
    case 'choice':
      return node.options.flatMap(setsOf)
    case 'repeat':
      return setsOf(node.part)
    default:
      return []
  }
}

interface Compiler {
  add(instruction: Instruction): number
  instructions: Instruction[]
  alphabet: Alphabet
  isBackwards: boolean
}

/** Returns where the node begins, if `next` follows it. */
function compile(compiler: Compiler, node: PatternNode, next: number): number {
  const { add, alphabet, isBackwards } = compiler
  switch (node.kind) {
    case 'set':
      return add({ kind: 'read', classes: alphabet.classesOf(node.set), next })
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
