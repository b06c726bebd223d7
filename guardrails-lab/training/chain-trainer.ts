// Trains the linear-chain model by stochastic gradient steps, one text at a time. A token may have several allowed
// labels: training raises the probability of the allowed sequences together.

import { featureCount, wordFeatures } from '../../server/src/guardrails/pii/tagger/features.ts'
import {
  atStart,
  type Chain,
  createChain,
  labelCount,
  mayFollow,
  rowWidth,
  runChain,
} from '../../server/src/guardrails/pii/tagger/marginals.ts'
import type { Chance } from './chance.ts'

export interface Example {
  /** `featureCount` row numbers for each token. */
  features: Int32Array
  /** For each token, a bit mask of the labels that it may have. */
  allowed: Uint8Array
}

export interface TrainedChain {
  rows: Float32Array
  moves: Float32Array
}

export interface Plan {
  epochs: number
  rate: number
  /** The share of word features that are dropped each time a text is learned. */
  dropped: number
  /** Weight decay of each step. */
  decay: number
  /** The result is the average of the weights after each of this many last epochs. */
  averaged: number
}

const startRow = 7 * rowWidth
const moveCount = 8 * rowWidth

interface Workspace {
  rows: Float32Array
  /** Sums of squared gradients, which lower the step of frequent weights (AdaGrad). */
  rowPower: Float32Array
  moves: Float32Array
  movePower: Float32Array
  /** e to the weight of each move, 0 if it is not allowed. */
  likely: Float64Array
  /** The chain over all labels. */
  free: Chain
  /** The chain over the allowed labels only. */
  bound: Chain
  /** 0 for features that are dropped from this text. */
  kept: Uint8Array
  /** The gradient of one token, by label. */
  drift: Float64Array
}

export function trainChain(examples: Example[], rowCount: number, plan: Plan, chance: Chance): TrainedChain {
  const longest = examples.reduce((most, example) => Math.max(most, example.allowed.length), 0)
  const workspace: Workspace = {
    rows: new Float32Array(rowCount * rowWidth),
    rowPower: new Float32Array(rowCount * rowWidth).fill(1e-4),
    moves: new Float32Array(moveCount),
    movePower: new Float32Array(moveCount).fill(1),
    likely: new Float64Array(moveCount),
    free: createChain(longest),
    bound: createChain(longest),
    kept: new Uint8Array(longest * featureCount),
    drift: new Float64Array(rowWidth),
  }
  const mean = new Float32Array(rowCount * rowWidth)
  const meanMoves = new Float32Array(moveCount)
  const order = examples.map((_, at) => at)
  for (let epoch = 0; epoch < plan.epochs; epoch++) {
    chance.shuffle(order)
    const rate = plan.rate * (1 - (0.8 * epoch) / plan.epochs)
    for (const at of order) learn(examples[at]!, workspace, plan, rate, chance)
    if (epoch >= plan.epochs - plan.averaged) {
      for (let at = 0; at < mean.length; at++) mean[at]! += workspace.rows[at]! / plan.averaged
      for (let at = 0; at < moveCount; at++) meanMoves[at]! += workspace.moves[at]! / plan.averaged
    }
  }
  return { rows: mean, moves: meanMoves }
}

function learn(example: Example, workspace: Workspace, plan: Plan, rate: number, chance: Chance): void {
  const count = example.allowed.length
  if (count === 0) return
  for (let from = 0; from < 8; from++) {
    for (let to = 0; to < labelCount; to++) {
      const move = from * rowWidth + to
      workspace.likely[move] = mayFollow(from === 7 ? -1 : from, to) ? Math.exp(workspace.moves[move]!) : 0
    }
  }
  drop(example, workspace, plan, chance)
  emit(example, workspace)
  runChain(workspace.free, 0, count, workspace.likely, atStart, false)
  runChain(workspace.bound, 0, count, workspace.likely, atStart, false)
  learnMoves(workspace, count, rate)
  for (let at = 0; at < count; at++) learnToken(example, workspace, at, rate, plan.decay)
}

function drop(example: Example, workspace: Workspace, plan: Plan, chance: Chance): void {
  const { kept } = workspace
  for (let at = 0; at < example.allowed.length; at++) {
    const to = at * featureCount
    for (let feature = 0; feature < featureCount; feature++) {
      kept[to + feature] = feature < wordFeatures && chance.next() < plan.dropped ? 0 : 1
    }
  }
}

function emit({ features, allowed }: Example, { rows, kept, free, bound }: Workspace): void {
  const sums = new Float64Array(rowWidth)
  for (let at = 0; at < allowed.length; at++) {
    sums.fill(0)
    for (let feature = at * featureCount; feature < (at + 1) * featureCount; feature++) {
      if (kept[feature] === 0) continue
      const row = features[feature]!
      for (let label = 0; label < labelCount; label++) sums[label]! += rows[row + label]!
    }
    const most = Math.max(...sums.subarray(0, labelCount))
    for (let label = 0; label < labelCount; label++) {
      const value = Math.exp(Math.max(sums[label]! - most, -60))
      free.emissions[at * rowWidth + label] = value
      bound.emissions[at * rowWidth + label] = (allowed[at]! >> label) & 1 ? value : 0
    }
  }
}

/** Adds the probability of each label of token `at` in `chain`, times `sign`, to `into`. */
function addMarginals(chain: Chain, at: number, sign: number, into: Float64Array): void {
  const row = at * rowWidth
  let total = 0
  for (let label = 0; label < labelCount; label++) total += chain.forward[row + label]! * chain.backward[row + label]!
  for (let label = 0; label < labelCount; label++) {
    into[label]! += (sign * chain.forward[row + label]! * chain.backward[row + label]!) / total
  }
}

function learnToken({ features }: Example, workspace: Workspace, at: number, step: number, decay: number): void {
  const { drift, rows, rowPower, kept } = workspace
  drift.fill(0)
  addMarginals(workspace.bound, at, 1, drift)
  addMarginals(workspace.free, at, -1, drift)
  let most = 0
  for (let label = 0; label < labelCount; label++) most = Math.max(most, Math.abs(drift[label]!))
  if (most < 0.003) return
  for (let feature = at * featureCount; feature < (at + 1) * featureCount; feature++) {
    if (kept[feature] === 0) continue
    const row = features[feature]!
    for (let label = 0; label < labelCount; label++) {
      const pull = drift[label]! - decay * rows[row + label]!
      rowPower[row + label]! += pull * pull
      rows[row + label]! += (step * pull) / Math.sqrt(rowPower[row + label]!)
    }
  }
}

function learnMoves(workspace: Workspace, count: number, step: number): void {
  const pulls = new Float64Array(moveCount)
  const first = new Float64Array(rowWidth)
  addMarginals(workspace.bound, 0, 1, first)
  addMarginals(workspace.free, 0, -1, first)
  for (let label = 0; label < labelCount; label++) pulls[startRow + label] = first[label]!
  for (let at = 1; at < count; at++) {
    addMoves(workspace.bound, at, 1, workspace.likely, pulls)
    addMoves(workspace.free, at, -1, workspace.likely, pulls)
  }
  for (let move = 0; move < moveCount; move++) {
    const pull = pulls[move]!
    if (pull === 0) continue
    workspace.movePower[move]! += pull * pull
    workspace.moves[move]! += (step * pull) / Math.sqrt(workspace.movePower[move]!)
  }
}

function addMoves(chain: Chain, at: number, sign: number, likely: Float64Array, pulls: Float64Array): void {
  const { forward, backward, emissions } = chain
  const [before, here] = [(at - 1) * rowWidth, at * rowWidth]
  let total = 0
  for (let from = 0; from < labelCount; from++) {
    for (let to = 0; to < labelCount; to++) {
      total += forward[before + from]! * likely[from * rowWidth + to]! * emissions[here + to]! * backward[here + to]!
    }
  }
  for (let from = 0; from < labelCount; from++) {
    for (let to = 0; to < labelCount; to++) {
      const move = from * rowWidth + to
      pulls[move]! +=
        (sign * forward[before + from]! * likely[move]! * emissions[here + to]! * backward[here + to]!) / total
    }
  }
}
