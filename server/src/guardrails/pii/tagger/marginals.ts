// Computes the probability that each token is part of a person's name or of a place: a linear-chain model with seven
// labels, forward and backward.

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
/** Rows of weights and of scores have this width, so that a row begins at a multiple of eight. */
export const rowWidth = 8

/** Whether `to` may follow `from`: an inside label only follows its own kind. `from` -1 is the start of the text. */
export function mayFollow(from: number, to: number): boolean {
  if (to === labels.outside || to % 2 === 1) return true
  return from === to || from === to - 1
}

export interface Chain {
  /** By token and label: e to the sum of weights; then the forward and the backward messages, each row summing to 1. */
  emissions: Float64Array
  forward: Float64Array
  backward: Float64Array
}

export function createChain(capacity: number): Chain {
  const column = (): Float64Array => new Float64Array(capacity * rowWidth)
  return { emissions: column(), forward: column(), backward: column() }
}

/** The row of `moves` for the first token of a text. */
export const atStart = 7

/**
 * Runs over the tokens from `first` to before `end`. `moves` is e to the weight of each step, `from * rowWidth + to`, 0
 * if it is not allowed. `before` is the row of moves into the first token; `closes` states that the next token is
 * outside.
 */
export function runChain(
  chain: Chain,
  first: number,
  end: number,
  moves: Float64Array,
  before: number,
  closes: boolean,
): void {
  runForward(chain, first, end, moves, before)
  const { backward } = chain
  const last = (end - 1) * rowWidth
  for (let label = 0; label < labelCount; label++) backward[last + label] = closes ? moves[label * rowWidth]! : 1
  for (let at = end - 2; at >= first; at--) runBackward(chain, at * rowWidth, moves)
}

function runForward(
  { emissions, forward }: Chain,
  first: number,
  end: number,
  moves: Float64Array,
  before: number,
): void {
  const start = first * rowWidth
  for (let to = 0; to < labelCount; to++) forward[start + to] = moves[before * rowWidth + to]! * emissions[start + to]!
  for (let row = start + rowWidth; row < end * rowWidth; row += rowWidth) {
    let total = 0
    for (let to = 0; to < labelCount; to++) {
      let sum = 0
      const isInside = to !== labels.outside && (to & 1) === 0
      const stop = isInside ? to + 1 : labelCount
      for (let from = isInside ? to - 1 : 0; from < stop; from++) {
        sum += forward[row - rowWidth + from]! * moves[from * rowWidth + to]!
      }
      sum *= emissions[row + to]!
      forward[row + to] = sum
      total += sum
    }
    const share = 1 / total
    for (let to = 0; to < labelCount; to++) forward[row + to]! *= share
  }
}

function runBackward({ emissions, backward }: Chain, row: number, moves: Float64Array): void {
  const next = row + rowWidth
  let total = 0
  for (let from = 0; from < labelCount; from++) {
    let sum = 0
    for (let to = 0; to < labelCount; to++) {
      sum += moves[from * rowWidth + to]! * emissions[next + to]! * backward[next + to]!
    }
    backward[row + from] = sum
    total += sum
  }
  const share = 1 / total
  for (let from = 0; from < labelCount; from++) backward[row + from]! *= share
}

/** Writes the probability of each label of token `at` into `out`. */
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
