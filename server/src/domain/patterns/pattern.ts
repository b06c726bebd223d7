// A pattern as a tree, and how large the automaton of a tree becomes.

import type { CharacterSet } from './character-set.ts'

export type Assertion = 'start' | 'end' | 'boundary' | 'noBoundary'

/** `states` is the size of the node's automaton, with repetitions written out. */
export type PatternNode = { states: number } & (
  | { kind: 'set'; set: CharacterSet }
  | { kind: 'sequence'; parts: readonly PatternNode[] }
  | { kind: 'choice'; options: readonly PatternNode[] }
  /** `max` is null if there is no maximum. */
  | { kind: 'repeat'; part: PatternNode; min: number; max: number | null }
  | { kind: 'assertion'; assertion: Assertion }
)

export function characterOf(set: CharacterSet): PatternNode {
  return { kind: 'set', set, states: 1 }
}

export function assertionOf(assertion: Assertion): PatternNode {
  return { kind: 'assertion', assertion, states: 1 }
}

export function sequenceOf(parts: readonly PatternNode[]): PatternNode {
  return { kind: 'sequence', parts, states: sum(parts) }
}

export function choiceOf(options: readonly PatternNode[]): PatternNode {
  return { kind: 'choice', options, states: sum(options) + options.length - 1 }
}

export function repeatOf(part: PatternNode, min: number, max: number | null): PatternNode {
  const states = max === null ? part.states * Math.max(1, min) + 1 : part.states * max + (max - min)
  return { kind: 'repeat', part, min, max, states }
}

export function matchesEmpty(node: PatternNode): boolean {
  switch (node.kind) {
    case 'set':
      return false
    case 'sequence':
      return node.parts.every(matchesEmpty)
    case 'choice':
      return node.options.some(matchesEmpty)
    case 'repeat':
      return node.min === 0 || matchesEmpty(node.part)
    default:
      return true
  }
}

function sum(nodes: readonly PatternNode[]): number {
  return nodes.reduce((states, node) => states + node.states, 0)
}
