// A pattern as a tree, and how large the automaton of a tree becomes.

import type { CharacterSet } from './character-set.ts'

export type Assertion = 'start' | 'end' | 'boundary' | 'noBoundary'

export type PatternNode =
  | { kind: 'set'; set: CharacterSet }
  | { kind: 'sequence'; parts: readonly PatternNode[] }
  | { kind: 'choice'; options: readonly PatternNode[] }
  /** `max` is null if there is no maximum. */
  | { kind: 'repeat'; part: PatternNode; min: number; max: number | null }
  | { kind: 'assertion'; assertion: Assertion }

/** The number of states, with repetitions written out. */
export function countStates(node: PatternNode): number {
  switch (node.kind) {
    case 'sequence':
      return sum(node.parts)
    case 'choice':
      return sum(node.options) + node.options.length - 1
    case 'repeat': {
      const states = countStates(node.part)
      return node.max === null ? states * Math.max(1, node.min) + 1 : states * node.max + (node.max - node.min)
    }
    default:
      return 1
  }
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
  return nodes.reduce((states, node) => states + countStates(node), 0)
}
