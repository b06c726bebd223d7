// Decides about a short text by one sum of what all readers found. It was fitted on texts whose authors the readers did
// not know, so each reader counts as much as it is worth. Two cuts stand beside it for what the grammar states exactly:
// in the midst of a harmless text, and in words or languages that few training texts have.

import { marginCuts, type ScoreCuts, scoreAt } from './score.ts'
import { type Support, supports } from './supports.ts'
import { type Extent, extents } from './windows.ts'

export interface Findings {
  /** The highest score of the model with each support of the grammar; minus infinity if there is none. */
  evidence: Readonly<Record<Extent, Readonly<Record<Support, number>>>>
  /** By the phrases of the first view. */
  phrases: number
  /** How many words the first view has. */
  tokens: number
}

export interface SumWeights {
  /** One for each measure. */
  weights: readonly number[]
  bias: number
  cuts: ScoreCuts
}

/** From these scores on a match of the grammar counts by itself. */
export interface MatchCuts {
  /** Of a window around a match as its rule demands. */
  window: number
  /** Of the whole text, if all words of the match are firm. */
  whole: number
}

export interface ShortDecision {
  sum: SumWeights
  matchCuts: MatchCuts
}

/** A score outside tells no more than the nearest one inside. */
const range = { lowest: -6, highest: 6 } as const
const measuresPerScore = 2
export const measureCount = extents.length * supports.length * measuresPerScore + 2

/** For each score of the model whether there is one, and which, and the rest of the findings. */
export function measuresOf({ evidence, phrases, tokens }: Findings): number[] {
  const measures: number[] = []
  for (const extent of extents) {
    for (const support of supports) {
      const score = evidence[extent][support]
      if (score === Number.NEGATIVE_INFINITY) measures.push(0, 0)
      else measures.push(Math.max(range.lowest, Math.min(range.highest, score)), 1)
    }
  }
  measures.push(Math.log(1 + tokens), phrases)
  return measures
}

export function addUp({ weights, bias }: Pick<SumWeights, 'weights' | 'bias'>, findings: Findings): number {
  const measures = measuresOf(findings)
  let sum = bias
  for (let at = 0; at < measures.length; at++) sum += weights[at]! * measures[at]!
  return sum
}

/** How far a match of the grammar is above or below its cut; minus infinity without one. */
export function matchMargin({ evidence: { window, whole } }: Findings, cuts: MatchCuts): number {
  return Math.max(Math.max(window.usual, window.firm) - cuts.window, whole.firm - cuts.whole)
}

/** Neither a match of the grammar nor enough words for the model: then phrases alone do not decide. */
export function isEmpty({ evidence }: Findings): boolean {
  return extents.every(extent => supports.every(support => evidence[extent][support] === Number.NEGATIVE_INFINITY))
}

/** On the scale of Sentinel's scores. */
export function scoreShort(findings: Findings, { sum, matchCuts }: ShortDecision): number {
  if (isEmpty(findings)) return 0
  return Math.max(scoreAt(addUp(sum, findings), sum.cuts), scoreAt(matchMargin(findings, matchCuts), marginCuts))
}
