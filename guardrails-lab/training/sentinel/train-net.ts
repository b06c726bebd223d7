// Trains the network over phrases: gradient descent by Adam over the vectors of the phrases that a text has and over the
// layers. Random numbers are seeded.

import {
  layerCount,
  type NetWeights,
  netHidden,
  netWidth,
  normalize,
  scoreNormal,
} from '../../../server/src/guardrails/sentinel/model/phrase-net.ts'
import { type Chance, createChance } from '../chance.ts'
import type { SparseRows } from './logistic.ts'

export interface NetTask {
  /** The phrases of each text; their values do not count. */
  rows: Pick<SparseRows, 'starts' | 'columns'>
  /** 1 for an attack, 0 for a harmless text. */
  labels: Uint8Array
  weights: Float64Array
  columnCount: number
}

const plan = { epochs: 5, rate: 2e-3, lastRate: 7e-4, batch: 64, dropped: 0.35, seed: 11 }
/** No text is certain: a certain one would pull at its phrases for ever. */
const certain = { attack: 0.99, harmless: 0.01 }
const firstSpread = 0.1
const maxVector = 127
/** Few numbers are larger than this many times the usual one; they are cut to it. */
const largestShare = 6

/** Values that are trained, with what Adam keeps of their slopes. */
class Trained {
  readonly values: Float32Array
  readonly slopes: Float32Array
  readonly #means: Float32Array
  readonly #squares: Float32Array

  constructor(length: number) {
    this.values = new Float32Array(length)
    this.slopes = new Float32Array(length)
    this.#means = new Float32Array(length)
    this.#squares = new Float32Array(length)
  }

  /** Changes the values from `start` to `end`, and forgets their slopes. */
  move(start: number, end: number, rate: number): void {
    const [means, squares] = [this.#means, this.#squares]
    for (let at = start; at < end; at++) {
      const slope = this.slopes[at]!
      this.slopes[at] = 0
      means[at] = 0.9 * means[at]! + 0.1 * slope
      squares[at] = 0.999 * squares[at]! + 0.001 * slope * slope
      this.values[at]! -= (rate * means[at]!) / (Math.sqrt(squares[at]!) + 1e-8)
    }
  }
}

export function trainNet(task: NetTask, seed = 0): NetWeights {
  const chance = createChance(plan.seed + seed)
  const net = new Net(task.columnCount, chance)
  const order = Array.from(task.labels.keys())
  for (let epoch = 0; epoch < plan.epochs; epoch++) {
    chance.shuffle(order)
    const rate = epoch === plan.epochs - 1 ? plan.lastRate : plan.rate
    for (let at = 0; at < order.length; at += plan.batch) {
      for (const row of order.slice(at, at + plan.batch)) net.learn(task, row, chance)
      net.step(rate)
    }
  }
  return { vectors: toWhole(net.vectors.values), layers: net.layers.values }
}

class Net {
  readonly vectors: Trained
  readonly layers = new Trained(layerCount)
  readonly #sums = new Float64Array(netWidth)
  readonly #normal = new Float64Array(netWidth)
  readonly #normalSlopes = new Float64Array(netWidth)
  readonly #hidden = new Float64Array(netHidden)
  /** The phrases of the text that were not left out. */
  readonly #kept: number[] = []
  readonly #touched = new Set<number>()
  #steps = 0

  constructor(phraseCount: number, chance: Chance) {
    this.vectors = new Trained(phraseCount * netWidth)
    const { values } = this.vectors
    for (let at = 0; at < values.length; at++) values[at] = firstSpread * spread(chance)
    const layers = this.layers.values
    for (let at = 0; at < netHidden * netWidth; at++) layers[at] = Math.sqrt(2 / netWidth) * spread(chance)
    for (let at = 0; at < netHidden; at++) layers[layerCount - 2 - at] = Math.sqrt(1 / netHidden) * spread(chance)
  }

  /** Adds the slopes of one text. */
  learn({ rows, labels, weights }: NetTask, row: number, chance: Chance): void {
    this.#kept.length = 0
    for (let at = rows.starts[row]!; at < rows.starts[row + 1]!; at++) {
      if (chance.next() >= plan.dropped) this.#kept.push(rows.columns[at]!)
    }
    if (this.#kept.length === 0) return
    this.#sums.fill(0)
    for (const phrase of this.#kept) {
      const first = phrase * netWidth
      for (let at = 0; at < netWidth; at++) this.#sums[at]! += this.vectors.values[first + at]!
    }
    const factor = normalize(this.#sums, this.#normal)
    const score = scoreNormal(this.layers.values, this.#normal, this.#hidden)
    const wanted = labels[row] === 1 ? certain.attack : certain.harmless
    this.#goBack(((1 / (1 + Math.exp(-score)) - wanted) * weights[row]!) / plan.batch, factor)
  }

  #goBack(error: number, factor: number): void {
    const { values, slopes } = this.layers
    const [biasesAt, outputsAt] = [netHidden * netWidth, netHidden * netWidth + netHidden]
    const [normal, normalSlopes] = [this.#normal, this.#normalSlopes.fill(0)]
    slopes[layerCount - 1]! += error
    for (let unit = 0; unit < netHidden; unit++) {
      if (this.#hidden[unit]! <= 0) continue
      slopes[outputsAt + unit]! += error * this.#hidden[unit]!
      const slope = error * values[outputsAt + unit]!
      slopes[biasesAt + unit]! += slope
      const first = unit * netWidth
      for (let at = 0; at < netWidth; at++) {
        slopes[first + at]! += slope * normal[at]!
        normalSlopes[at]! += slope * values[first + at]!
      }
    }
    let [mean, along] = [0, 0]
    for (let at = 0; at < netWidth; at++) {
      mean += normalSlopes[at]! / netWidth
      along += (normalSlopes[at]! * normal[at]!) / netWidth
    }
    for (let at = 0; at < netWidth; at++) normalSlopes[at] = factor * (normalSlopes[at]! - mean - normal[at]! * along)
    for (const phrase of this.#kept) {
      this.#touched.add(phrase)
      const first = phrase * netWidth
      for (let at = 0; at < netWidth; at++) this.vectors.slopes[first + at]! += normalSlopes[at]!
    }
  }

  step(rate: number): void {
    this.#steps++
    const adapted = (rate * Math.sqrt(1 - 0.999 ** this.#steps)) / (1 - 0.9 ** this.#steps)
    for (const phrase of this.#touched) this.vectors.move(phrase * netWidth, (phrase + 1) * netWidth, adapted)
    this.#touched.clear()
    this.layers.move(0, layerCount, adapted)
  }
}

/** About normally distributed, with the spread 1. */
function spread(chance: Chance): number {
  let sum = -6
  for (let at = 0; at < 12; at++) sum += chance.next()
  return sum
}

/** Only the directions of vectors count, so they need no scale. */
function toWhole(values: Float32Array): Int8Array {
  const squares = values.reduce((sum, value) => sum + value * value, 0)
  const scale = (largestShare * Math.sqrt(squares / values.length)) / maxVector
  return Int8Array.from(values, value => Math.max(-maxVector, Math.min(maxVector, Math.round(value / scale))))
}
