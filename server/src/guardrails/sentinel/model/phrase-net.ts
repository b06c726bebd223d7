// A small network over the phrases of a view: the vectors of its known phrases are added up and brought to one length,
// and a hidden layer decides. It learns which phrases count only together, which no sum of single weights can. The
// vectors are whole numbers, so their sum is the same in every order.

export const netWidth = 32
export const netHidden = 64
/** Weights from the vector to the hidden layer, its biases, its weights to the score, and the score's bias. */
export const layerCount = netHidden * netWidth + netHidden + netHidden + 1

export interface NetWeights {
  /** For each phrase a vector of `netWidth` numbers. */
  vectors: Int8Array
  layers: Float32Array
}

const biasesAt = netHidden * netWidth
const outputsAt = biasesAt + netHidden
const lastAt = outputsAt + netHidden
/** A vector without a spread, as of a view without known phrases, would be divided by zero. */
const leastSpread = 1e-5

/** Writes the values of `sums` into `normal` with the mean 0 and the spread 1. Returns what they were multiplied by. */
export function normalize(sums: ArrayLike<number>, normal: Float64Array): number {
  let mean = 0
  for (let at = 0; at < netWidth; at++) mean += sums[at]!
  mean /= netWidth
  let squares = 0
  for (let at = 0; at < netWidth; at++) squares += (sums[at]! - mean) * (sums[at]! - mean)
  const factor = 1 / Math.sqrt(squares / netWidth + leastSpread)
  for (let at = 0; at < netWidth; at++) normal[at] = (sums[at]! - mean) * factor
  return factor
}

/** Writes what each hidden unit says into `hidden`, and returns the score. */
export function scoreNormal(layers: Float32Array, normal: Float64Array, hidden: Float64Array): number {
  let score = layers[lastAt]!
  for (let unit = 0; unit < netHidden; unit++) {
    let sum = layers[biasesAt + unit]!
    const row = unit * netWidth
    for (let at = 0; at < netWidth; at++) sum += layers[row + at]! * normal[at]!
    hidden[unit] = sum
    if (sum > 0) score += layers[outputsAt + unit]! * sum
  }
  return score
}
