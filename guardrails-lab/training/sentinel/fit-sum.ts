// Fits the sum of all readers' scores that decides about short texts, on texts that the readers were trained without, and
// chooses its cuts.

import { cutNames, marginCuts, type ScoreCuts } from '../../../server/src/guardrails/sentinel/model/score.ts'
import {
  type Findings,
  measureCount,
  measuresOf,
  type SumWeights,
} from '../../../server/src/guardrails/sentinel/model/sum.ts'
import { fitLogistic } from './logistic.ts'

export interface FoundText {
  findings: Findings
  isAttack: boolean
  weight: number
}

const strength = 0.1
/** So many that no sum changes, and so few that the last digits of one machine are those of another. */
const decimals = 1e6

/** Above zero an attack is more likely than not. */
export function fitSum(texts: readonly FoundText[]): Pick<SumWeights, 'weights' | 'bias'> {
  const all = texts.map(({ findings }) => measuresOf(findings))
  const { means, deviations } = spreadOf(all)
  const values = new Float32Array(all.length * measureCount)
  for (const [row, measures] of all.entries()) {
    for (const [at, measure] of measures.entries()) {
      values[row * measureCount + at] = (measure - means[at]!) / deviations[at]!
    }
  }
  const fitted = fitLogistic({
    rows: {
      starts: Int32Array.from({ length: all.length + 1 }, (_, row) => row * measureCount),
      columns: Int32Array.from(values, (_, at) => at % measureCount),
      values,
    },
    labels: Uint8Array.from(texts, ({ isAttack }) => (isAttack ? 1 : 0)),
    weights: Float64Array.from(texts, ({ weight }) => weight),
    columnCount: measureCount,
    strength,
  })
  const weights = means.map((_, at) => round(fitted[at]! / deviations[at]!))
  const bias = weights.reduce((sum, weight, at) => sum - weight * means[at]!, fitted[measureCount]!)
  return { weights, bias: round(bias) }
}

const round = (value: number): number => Math.round(value * decimals) / decimals

function spreadOf(rows: readonly number[][]): { means: number[]; deviations: number[] } {
  const places = Array.from({ length: measureCount }, (_, at) => at)
  const means = places.map(at => rows.reduce((sum, row) => sum + row[at]!, 0) / rows.length)
  const deviations = places.map(at =>
    Math.sqrt(rows.reduce((sum, row) => sum + (row[at]! - means[at]!) ** 2, 0) / rows.length),
  )
  // A measure that is always the same says nothing.
  return { means, deviations: deviations.map(deviation => (deviation === 0 ? 1 : deviation)) }
}

/** The share of texts that may reach each cut. */
export type Shares = Readonly<Record<keyof ScoreCuts, number>>

/** Harmless texts of one kind. */
export interface SumLimit {
  texts: readonly SummedText[]
  maxShares: Shares
}

export interface SummedText {
  sum: number
  /** How far a match of the grammar is above or below its cut, which no sum changes. */
  matchMargin: number
}

/** Scores are placed between two cuts, so they must not be equal. */
const minStep = 0.05

/** The lowest cuts that keep to all limits. */
export function chooseSumCuts(limits: readonly SumLimit[]): ScoreCuts {
  const cuts = { flagged: 0, strict: 0, balanced: 0, lenient: 0 }
  let last = Number.NEGATIVE_INFINITY
  for (const name of cutNames) {
    const within = limits.map(({ texts, maxShares }) => lowestCut(name, texts, maxShares[name]))
    last = Math.max(...within, last + minStep)
    cuts[name] = last
  }
  if (Object.values(cuts).some(cut => !Number.isFinite(cut)))
    throw new Error('no cuts of the sum are within the limits')
  return cuts
}

/** In thousandths, above the highest sum that must not reach it. Infinite if matches alone exceed the share. */
function lowestCut(name: keyof ScoreCuts, texts: readonly SummedText[], maxShare: number): number {
  const isMatched = ({ matchMargin }: SummedText) => matchMargin >= marginCuts[name]
  const sums = texts.filter(text => !isMatched(text)).map(({ sum }) => sum)
  const left = Math.floor(maxShare * texts.length) - (texts.length - sums.length)
  if (left < 0) return Number.POSITIVE_INFINITY
  const missed = sums.toSorted((a, b) => b - a)[left] ?? Number.NEGATIVE_INFINITY
  return (Math.floor(missed * 1000) + 1) / 1000
}
