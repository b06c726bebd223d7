// Fits a logistic regression with a penalty on the squares of its weights, to the optimum, by L-BFGS. No random numbers:
// the same rows give the same weights.

export interface SparseRows {
  /** The columns of row `at` are those from `starts[at]` to `starts[at + 1]`. */
  starts: Int32Array
  columns: Int32Array
  values: Float32Array
}

export interface LogisticTask {
  rows: SparseRows
  /** 1 for an attack, 0 for a harmless text. */
  labels: Uint8Array
  weights: Float64Array
  columnCount: number
  /** How much the errors count against the penalty. */
  strength: number
}

const memory = 8
const maxRounds = 300
/** The search ends when the loss falls by less than this share of itself in a round. */
const minGain = 1e-7
const firstStep = 0.1
const minStep = 1e-10
const sufficient = 1e-4

/** One weight for each column, and the bias after them. */
export function fitLogistic(task: LogisticTask): Float64Array {
  const size = task.columnCount + 1
  let point = new Float64Array(size)
  let slope = new Float64Array(size)
  let loss = measure(task, point, slope)
  const pairs: Pair[] = []
  for (let round = 0; round < maxRounds; round++) {
    const direction = descend(slope, pairs)
    const along = dot(slope, direction)
    if (along >= 0) break
    let step = pairs.length === 0 ? firstStep / Math.sqrt(dot(slope, slope)) : 1
    let next = moved(point, direction, step)
    const nextSlope = new Float64Array(size)
    let nextLoss = measure(task, next, nextSlope)
    while (nextLoss > loss + sufficient * step * along && step > minStep) {
      step /= 2
      next = moved(point, direction, step)
      nextLoss = measure(task, next, nextSlope)
    }
    const gain = loss - nextLoss
    if (gain <= 0) break
    keepPair(pairs, point, next, slope, nextSlope)
    point = next
    slope = nextSlope
    loss = nextLoss
    if (gain < minGain * loss) break
  }
  return point
}

interface Pair {
  step: Float64Array
  change: Float64Array
  scale: number
}

function keepPair(pairs: Pair[], from: Float64Array, to: Float64Array, slope: Float64Array, next: Float64Array): void {
  const step = to.map((value, at) => value - from[at]!)
  const change = next.map((value, at) => value - slope[at]!)
  const product = dot(step, change)
  if (product <= 0) return
  pairs.push({ step, change, scale: 1 / product })
  if (pairs.length > memory) pairs.shift()
}

function descend(slope: Float64Array, pairs: readonly Pair[]): Float64Array<ArrayBuffer> {
  const direction = slope.map(value => -value)
  const shares = new Float64Array(pairs.length)
  for (let at = pairs.length - 1; at >= 0; at--) {
    const { step, change, scale } = pairs[at]!
    shares[at] = scale * dot(step, direction)
    addScaled(direction, change, -shares[at]!)
  }
  const last = pairs.at(-1)
  if (last !== undefined) {
    const factor = 1 / (last.scale * dot(last.change, last.change))
    for (let at = 0; at < direction.length; at++) direction[at]! *= factor
  }
  for (const [at, { step, change, scale }] of pairs.entries()) {
    addScaled(direction, step, shares[at]! - scale * dot(change, direction))
  }
  return direction
}

/** Returns the loss and writes its slope. The bias has no penalty. */
function measure(task: LogisticTask, point: Float64Array, slope: Float64Array): number {
  const { rows, labels, weights, columnCount, strength } = task
  const { starts, columns, values } = rows
  let penalty = 0
  for (let column = 0; column < columnCount; column++) {
    slope[column] = point[column]!
    penalty += point[column]! * point[column]!
  }
  slope[columnCount] = 0
  let errors = 0
  for (let row = 0; row < labels.length; row++) {
    const end = starts[row + 1]!
    let score = point[columnCount]!
    for (let at = starts[row]!; at < end; at++) score += point[columns[at]!]! * values[at]!
    const weight = strength * weights[row]!
    const sign = labels[row] === 1 ? score : -score
    errors += weight * (sign > 0 ? Math.log1p(Math.exp(-sign)) : Math.log1p(Math.exp(sign)) - sign)
    const error = weight * (1 / (1 + Math.exp(-score)) - labels[row]!)
    for (let at = starts[row]!; at < end; at++) slope[columns[at]!]! += error * values[at]!
    slope[columnCount]! += error
  }
  return penalty / 2 + errors
}

function moved(from: Float64Array, direction: Float64Array, step: number): Float64Array<ArrayBuffer> {
  return from.map((value, at) => value + step * direction[at]!) as Float64Array<ArrayBuffer>
}

function addScaled(to: Float64Array, from: Float64Array, factor: number): void {
  for (let at = 0; at < to.length; at++) to[at]! += factor * from[at]!
}

function dot(left: Float64Array, right: Float64Array): number {
  let sum = 0
  for (let at = 0; at < left.length; at++) sum += left[at]! * right[at]!
  return sum
}
