// Fits the weights of one extent: logistic regression on the highest-scoring window of each text, because only one
// window of an attack has to be one, and each window of a harmless text must be harmless. As a whole, a text is one
// window.

import type { ExtentWeights } from '../../../server/src/guardrails/sentinel/model/model-weights.ts'
import { bucketBits } from '../../../server/src/guardrails/sentinel/model/ngrams.ts'
import { type Extent, eachWindow, scoreOf } from '../../../server/src/guardrails/sentinel/model/windows.ts'
import type { View } from '../../../server/test/guardrails/sentinel/model/read-views.ts'
import type { Chance } from '../chance.ts'
import type { Bag } from './bag.ts'

export interface FitPlan {
  epochs: number
  rate: number
  /** The share of n-grams that a step leaves out, so that no single one decides. */
  dropped: number
  decay: number
  /** Weights beyond it are cut to it. */
  largest: number
}

export interface FittedModel {
  weights: Float32Array
  bias: number
}

interface Best {
  score: number
  view: View | null
  start: number
  end: number
}

/** A step for a text whose error is smaller would change hardly anything. */
const minError = 0.02
/** Added to the sum of squared gradients: the first steps would otherwise be too large. */
const firstSquares = 0.01

export function fit(extent: Extent, bags: readonly Bag[], plan: FitPlan, chance: Chance): FittedModel {
  const weights = new Float32Array(1 << bucketBits)
  const squares = new Float32Array(1 << bucketBits).fill(firstSquares)
  const model = { weights, bias: 0 }
  const order = Array.from(bags.keys())
  for (let epoch = 0; epoch < plan.epochs; epoch++) {
    chance.shuffle(order)
    for (const index of order) {
      const bag = bags[index]!
      const best = bestWindow(extent, bag.views, model)
      if (best.view !== null) step(model, squares, best, bag, plan, chance)
    }
  }
  return model
}

let sums = new Float64Array(1024)

export function bestWindow(extent: Extent, views: readonly View[], { weights, bias }: FittedModel): Best {
  const best: Best = { score: Number.NEGATIVE_INFINITY, view: null, start: 0, end: 0 }
  for (const view of views) {
    const { count, buckets, ends } = view
    if (count >= sums.length) sums = new Float64Array(count * 2)
    let sum = 0
    let next = 0
    for (let at = 0; at < count; at++) {
      for (const end = ends[at + 1]!; next < end; next++) sum += weights[buckets[next]!]!
      sums[at + 1] = sum
    }
    eachWindow(extent, count, (start, end) => {
      const score = scoreOf(sums[end]! - sums[start]!, ends[end]! - ends[start]!) + bias
      if (score > best.score) Object.assign(best, { score, view, start, end })
    })
  }
  return best
}

function step(
  model: FittedModel,
  squares: Float32Array,
  { view, start, end, score }: Best,
  { isAttack, weight }: Bag,
  { rate, dropped, decay, largest }: FitPlan,
  chance: Chance,
): void {
  const error = 1 / (1 + Math.exp(-score)) - (isAttack ? 1 : 0)
  if (Math.abs(error) < minError) return
  const { buckets, ends } = view!
  const [from, to] = [ends[start]!, ends[end]!]
  const slope = (error * weight) / Math.sqrt(to - from)
  for (let at = from; at < to; at++) {
    if (chance.next() < dropped) continue
    const bucket = buckets[at]!
    const before = model.weights[bucket]!
    const gradient = slope + decay * before
    squares[bucket]! += gradient * gradient
    const after = before - (rate * gradient) / Math.sqrt(squares[bucket]!)
    model.weights[bucket] = Math.max(-largest, Math.min(largest, after))
  }
  model.bias -= rate * 0.1 * error * weight
}

const maxRow = 127

/** In the whole numbers of the product. `largest`: a few larger weights would cost all others their precision. */
export function toWholeRows({ weights, bias }: FittedModel, largest: number): ExtentWeights {
  const toRow = (weight: number) => Math.max(-maxRow, Math.min(maxRow, Math.round((weight / largest) * maxRow)))
  return { rows: Int8Array.from(weights, toRow), scale: largest / maxRow, bias }
}
