// The second reader: a logistic model over hashed n-grams. Confirms or vetoes what the grammar matched, and finds
// attacks in words that the grammar does not know.

import type { RuleMatch } from '../find-matches.ts'
import type { KnownWords } from '../read-words.ts'
import type { ModelWeights } from './model-weights.ts'
import { type NgramReading, readNgrams } from './ngrams.ts'
import { eachWindow, eachWindowAround, ngramsIn, scoreOf, tokenAt, type Window } from './windows.ts'

export interface SecondReader {
  /** Reads a view. The scores below are for it, until the next call. */
  read(view: Uint16Array, words: KnownWords, matches: readonly RuleMatch[]): void
  /** How many n-grams the view has. */
  readonly work: number
  /** The score of the best window, and in `bestWindow` where it begins and ends in the view. */
  best(): number
  readonly bestWindow: Readonly<Window>
  /** The score of the best window around a position of the view. */
  near(position: number): number
}

export function createSecondReader(weights: ModelWeights): SecondReader {
  return new NgramReader(weights)
}

class NgramReader implements SecondReader {
  readonly bestWindow: Window = { start: 0, end: 0 }
  readonly #weights: ModelWeights
  #reading: NgramReading = { count: 0, starts: new Int32Array(1), buckets: new Int32Array(0), ends: new Int32Array(1) }
  /** The sum of all weights before each token. */
  #sums = new Float64Array(1)

  constructor(weights: ModelWeights) {
    this.#weights = weights
  }

  get work(): number {
    return this.#reading.ends[this.#reading.count]!
  }

  read(view: Uint16Array, words: KnownWords, matches: readonly RuleMatch[]): void {
    const reading = readNgrams(view, words, matches)
    this.#reading = reading
    if (reading.count >= this.#sums.length) this.#sums = new Float64Array(reading.starts.length + 1)
    const { count, ends, buckets } = reading
    const { rows } = this.#weights
    let sum = 0
    let next = 0
    for (let at = 0; at < count; at++) {
      const end = ends[at + 1]!
      while (next < end) sum += rows[buckets[next++]!]!
      this.#sums[at + 1] = sum
    }
  }

  best(): number {
    const { count, starts } = this.#reading
    let [best, from, to] = [Number.NEGATIVE_INFINITY, 0, 0]
    eachWindow(count, (start, end) => {
      const score = this.#score(start, end)
      if (score > best) [best, from, to] = [score, start, end]
    })
    this.bestWindow.start = starts[from]!
    this.bestWindow.end = to < count ? starts[to]! : Number.POSITIVE_INFINITY
    return best
  }

  near(position: number): number {
    let best = Number.NEGATIVE_INFINITY
    eachWindowAround(this.#reading.count, tokenAt(this.#reading, position), (start, end) => {
      best = Math.max(best, this.#score(start, end))
    })
    return best
  }

  #score(start: number, end: number): number {
    const { scale, bias } = this.#weights
    return scoreOf((this.#sums[end]! - this.#sums[start]!) * scale, ngramsIn(this.#reading, start, end)) + bias
  }
}
