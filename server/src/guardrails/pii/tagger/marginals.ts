// The chance that each token is part of a person's name or of a place: a linear chain over seven labels, forward and
// backward. Works on sums of weights; knows no texts and no features.

export const labels = {
  outside: 0,
  personBegins: 1,
  personInside: 2,
  placeBegins: 3,
  placeInside: 4,
  otherBegins: 5,
  otherInside: 6,
} as const
export const labelCount = 7
/** Rows of weights and of scores are this wide, so that a row begins at a multiple of eight. */
export const rowWidth = 8

/** Whether `to` may follow `from`: what is inside follows its own kind only. `from` -1 is the start of the text. */
export function mayFollow(from: number, to: number): boolean {
  if (to === labels.outside || to % 2 === 1) return true
  return from === to || from === to - 1
}

export interface Chain {
  /** Of token and label: e to the sum of weights; then the forward and the backward messages, each row summing to 1. */
  emissions: Float64Array
  forward: Float64Array
  backward: Float64Array
}

export function createChain(capacity: number): Chain {
  const column = (): Float64Array => new Float64Array(capacity * rowWidth)
  return { emissions: column(), forward: column(), backward: column() }
}

/** `moves` is e to the weight of each step, `from * rowWidth + to`, 0 where it may not be; its row 7 is the start. */
export function runChain(chain: Chain, count: number, moves: Float64Array): number {
  const { emissions, forward, backward } = chain
  let logTotal = 0
  for (let at = 0; at < count; at++) {
    const row = at * rowWidth
    let total = 0
    for (let to = 0; to < labelCount; to++) {
      let sum = 0
      if (at === 0) sum = moves[7 * rowWidth + to]!
      else
        for (let from = 0; from < labelCount; from++)
          sum += forward[row - rowWidth + from]! * moves[from * rowWidth + to]!
      const value = sum * emissions[row + to]!
      forward[row + to] = value
      total += value
    }
    logTotal += Math.log(total)
    for (let to = 0; to < labelCount; to++) forward[row + to] = forward[row + to]! / total
  }
  backward.fill(1, (count - 1) * rowWidth, count * rowWidth)
  for (let at = count - 2; at >= 0; at--) {
    const row = at * rowWidth
    let total = 0
    for (let from = 0; from < labelCount; from++) {
      let sum = 0
      for (let to = 0; to < labelCount; to++) {
        sum += moves[from * rowWidth + to]! * emissions[row + rowWidth + to]! * backward[row + rowWidth + to]!
      }
      backward[row + from] = sum
      total += sum
    }
    for (let from = 0; from < labelCount; from++) backward[row + from] = backward[row + from]! / total
  }
  return logTotal
}

/** Writes the chance of each label of token `at` into `out`. */
export function readMarginals(chain: Chain, at: number, out: Float64Array): void {
  const row = at * rowWidth
  let total = 0
  for (let label = 0; label < labelCount; label++) {
    const value = chain.forward[row + label]! * chain.backward[row + label]!
    out[label] = value
    total += value
  }
  for (let label = 0; label < labelCount; label++) out[label] = out[label]! / total
}
