// Fits one sum of all readers' scores, on texts that the readers were trained without, and the cut that goes with it.

import { supports } from '../../../../server/src/guardrails/sentinel/model/model-weights.ts'
import { extents } from '../../../../server/src/guardrails/sentinel/model/windows.ts'
import type { Evidence } from '../calibrate.ts'
import { fitLogistic } from './logistic.ts'

/** What all readers say about a text. */
export interface Reading {
  evidence: Evidence
  /** By the regression over phrases. */
  phrases: number
  isShort: boolean
  /** In how many ways it is read. */
  views: number
  /** How many words it has. */
  tokens: number
}

export interface LabelledReading extends Reading {
  isAttack: boolean
  weight: number
}

const strength = 0.1
/** A score outside tells no more than the nearest one inside. */
const range = { lowest: -6, highest: 6 } as const

/** For each piece of evidence its score and whether there is one, and the rest; then the same for short texts alone. */
function measuresOf({ evidence, isShort, views, tokens, phrases }: Reading): number[] {
  const scores = extents.flatMap(extent => supports.map(support => evidence[extent][support]))
  const own = scores.flatMap(score =>
    score === Number.NEGATIVE_INFINITY ? [0, 0] : [Math.max(range.lowest, Math.min(range.highest, score)), 1],
  )
  const all = [...own, Math.log(1 + tokens), Math.log(views), phrases]
  return [...all, ...[1, ...all].map(measure => (isShort ? measure : 0))]
}

/** Returns the sum of a reading: above zero an attack is more likely than not. */
export function fitSum(readings: readonly LabelledReading[]): (reading: Reading) => number {
  const all = readings.map(measuresOf)
  const { means, deviations } = spreadOf(all)
  const scaled = (measures: readonly number[]) =>
    measures.map((measure, at) => (measure - means[at]!) / deviations[at]!)
  const columnCount = means.length
  const fitted = fitLogistic({
    rows: {
      starts: Int32Array.from({ length: all.length + 1 }, (_, row) => row * columnCount),
      columns: Int32Array.from({ length: all.length * columnCount }, (_, at) => at % columnCount),
      values: Float32Array.from(all.flatMap(scaled)),
    },
    labels: Uint8Array.from(readings, ({ isAttack }) => (isAttack ? 1 : 0)),
    weights: Float64Array.from(readings, ({ weight }) => weight),
    columnCount,
    strength,
  })
  return reading =>
    scaled(measuresOf(reading)).reduce((sum, measure, at) => sum + fitted[at]! * measure, fitted[columnCount]!)
}

function spreadOf(rows: readonly number[][]): { means: number[]; deviations: number[] } {
  const places = Array.from(rows[0] ?? [], (_, at) => at)
  const means = places.map(at => rows.reduce((sum, row) => sum + row[at]!, 0) / rows.length)
  const deviations = places.map(at =>
    Math.sqrt(rows.reduce((sum, row) => sum + (row[at]! - means[at]!) ** 2, 0) / rows.length),
  )
  // A measure that is always the same says nothing.
  return { means, deviations: deviations.map(deviation => (deviation === 0 ? 1 : deviation)) }
}

/** The lowest cut that at most this share of the harmless sums is above. */
export function cutAt(harmless: readonly number[], share: number): number {
  const sorted = harmless.toSorted((a, b) => b - a)
  return sorted[Math.floor(share * sorted.length)] ?? Number.NEGATIVE_INFINITY
}
