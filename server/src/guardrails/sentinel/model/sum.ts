// Decides about a short text by one sum of what all readers found. It was fitted on texts whose authors the readers did
// not know, so each reader counts as much as it is worth. One cut stands beside it, for firm words of the grammar in a
// text that the sum does not know: in words or languages that few training texts have.

import { marginCuts, type ScoreCuts, scoreAt } from './score.ts'
import { type Support, supports } from './supports.ts'
import { type Extent, extents } from './windows.ts'

export interface Findings {
  /** The highest score of the model with each support of the grammar; minus infinity if there is none. */
  evidence: Readonly<Record<Extent, Readonly<Record<Support, number>>>>
  /** By the phrases of the first view. */
  phrases: number
  /** By the network over them. */
  net: number
  /** How many words the first view has. */
  tokens: number
  /** The same two scores without what stands in quotation marks; null if there is no quote, or nothing but quotes. */
  outside: Readonly<OutsideScores> | null
}

export interface OutsideScores {
  phrases: number
  net: number
}

export interface SumWeights {
  /** One for each measure. */
  weights: readonly number[]
  bias: number
  cuts: ScoreCuts
}

export interface ShortDecision {
  sum: SumWeights
  /** From this score of the whole text on a match counts by itself, if all its words are firm. */
  firmCut: number
}

/** A score outside tells no more than the nearest one inside. */
const range = { lowest: -6, highest: 6 } as const
/** The network is as certain of the few harmless texts that it takes for attacks as of attacks. */
const highestNet = 1
/** A text of fewer words has few phrases, so their score says little. */
const enoughWords = 10
/** About the logarithm of fourteen words: a match counts for more in a text that has few other words. */
const fewWords = 2.7
/** From this score down the phrases find that a text is harmless: then a match in it counts in another way. */
const harmlessPhrases = -1
const measuresPerScore = 2
const measuresOfQuotes = 5
const otherMeasures = 10 + measuresOfQuotes
export const measureCount = extents.length * supports.length * measuresPerScore + otherMeasures

/** For each score of the model whether there is one, and which, and the rest of the findings. */
export function measuresOf({ evidence, phrases, net, tokens, outside }: Findings): number[] {
  const measures: number[] = []
  for (const extent of extents) {
    for (const support of supports) {
      const score = evidence[extent][support]
      if (isFound(score)) measures.push(withinRange(score), 1)
      else measures.push(0, 0)
    }
  }
  const length = Math.log(1 + tokens)
  const share = Math.min(1, tokens / enoughWords)
  const certain = certaintyOf(net)
  const shortness = Math.max(0, fewWords - length)
  const near = Math.max(evidence.window.usual, evidence.window.firm)
  const support = Math.max(0, withinRange(near))
  const objection = isFound(near) ? Math.max(0, harmlessPhrases - phrases) : 0
  measures.push(length, phrases, phrases * share, certain, certain * share)
  measures.push(isFound(evidence.whole.firm) ? shortness : 0, isFound(evidence.whole.usual) ? shortness : 0)
  measures.push(objection, support, support * objection)
  if (outside === null) for (let at = 0; at < measuresOfQuotes; at++) measures.push(0)
  else {
    const around = certaintyOf(outside.net)
    measures.push(1, outside.phrases, around, Math.max(0, certain - around))
    measures.push(support * Math.max(0, -outside.phrases))
  }
  return measures
}

const certaintyOf = (net: number): number => Math.max(range.lowest, Math.min(highestNet, net))

const isFound = (score: number): boolean => score !== Number.NEGATIVE_INFINITY
const withinRange = (score: number): number => Math.max(range.lowest, Math.min(range.highest, score))

export function addUp({ weights, bias }: Pick<SumWeights, 'weights' | 'bias'>, findings: Findings): number {
  const measures = measuresOf(findings)
  let sum = bias
  for (let at = 0; at < measures.length; at++) sum += weights[at]! * measures[at]!
  return sum
}

/**
 * How far a match of firm words is above or below its cut; minus infinity without one, and in a text that is harmless
 * around its quotes: these match most often.
 */
export function matchMargin({ evidence, outside }: Findings, firmCut: number): number {
  if (outside !== null && outside.phrases < 0 && outside.net < 0) return Number.NEGATIVE_INFINITY
  return evidence.whole.firm - firmCut
}

/** Neither a match of the grammar nor enough words for the model: then phrases alone do not decide. */
export function isEmpty({ evidence }: Findings): boolean {
  return extents.every(extent => supports.every(support => !isFound(evidence[extent][support])))
}

/** On the scale of Sentinel's scores. */
export function scoreShort(findings: Findings, { sum, firmCut }: ShortDecision): number {
  if (isEmpty(findings)) return 0
  return Math.max(scoreAt(addUp(sum, findings), sum.cuts), scoreAt(matchMargin(findings, firmCut), marginCuts))
}
