// The second reader: a logistic model over hashed n-grams. Scores the words around what the grammar matched, and finds
// attacks in words that the grammar does not know.

import type { RuleMatch } from '../find-matches.ts'
import type { KnownWords } from '../read-words.ts'
import { countWords } from './different-words.ts'
import type { ExtentWeights } from './model-weights.ts'
import { type NgramReading, readNgrams } from './ngrams.ts'
import { type Extent, eachWindow, eachWindowAround, ngramsIn, scoreOf, tokenAt, type Window } from './windows.ts'

export interface SecondReader {
  /** Reads a view. The scores below are for it, until the next call, and for these extents only. */
  read(extents: readonly Extent[], view: Uint16Array, words: KnownWords, matches: readonly RuleMatch[]): void
  /** How many n-grams the view has. */
  readonly work: number
  /** How many words it has, and letters of scripts without spaces. */
  readonly tokens: number
  /**
   * The score of the best window, and in `bestWindow` where it begins and ends in the view. Minus infinity if the view
   * is so short that the model should not decide alone.
   */
  best(extent: Extent): number
  readonly bestWindow: Readonly<Window>
  /** The score of the best window around a position of the view. */
  near(extent: Extent, position: number): number
}

/**
 * "go on" and "show me" say nothing about the instructions of the assistant. Neither do objects whose names and values
 * differ only in their numbers, but their repetitions add up. Such an object has two different words, and the edges of
 * a slice may cut one of them twice.
 */
const minWordsAlone = 4

type Weights = Readonly<Record<Extent, ExtentWeights>>

export function createSecondReader(weights: Weights): SecondReader {
  return new NgramReader(weights)
}

class NgramReader implements SecondReader {
  readonly bestWindow: Window = { start: 0, end: 0 }
  readonly #weights: Weights
  #view: Uint16Array = new Uint16Array(0)
  #reading: NgramReading = { count: 0, starts: new Int32Array(1), buckets: new Int32Array(0), ends: new Int32Array(1) }
  /** The sum of all weights before each token. */
  readonly #sums: Record<Extent, Float64Array> = { whole: new Float64Array(1), window: new Float64Array(1) }

  constructor(weights: Weights) {
    this.#weights = weights
  }

  get work(): number {
    return this.#reading.ends[this.#reading.count]!
  }

  get tokens(): number {
    return this.#reading.count
  }

  read(extents: readonly Extent[], view: Uint16Array, words: KnownWords, matches: readonly RuleMatch[]): void {
    this.#view = view
    this.#reading = readNgrams(view, words, matches)
    for (const extent of extents) this.#addUp(extent)
  }

  #addUp(extent: Extent): void {
    const { count, ends, buckets, starts } = this.#reading
    if (count >= this.#sums[extent].length) this.#sums[extent] = new Float64Array(starts.length + 1)
    const sums = this.#sums[extent]
    const { rows } = this.#weights[extent]
    let sum = 0
    let next = 0
    for (let at = 0; at < count; at++) {
      const end = ends[at + 1]!
      while (next < end) sum += rows[buckets[next++]!]!
      sums[at + 1] = sum
    }
  }

  best(extent: Extent): number {
    const { count, starts } = this.#reading
    let [best, from, to] = [Number.NEGATIVE_INFINITY, 0, 0]
    eachWindow(extent, count, (start, end) => {
      const score = this.#score(extent, start, end)
      if (score > best && this.#saysEnough(start, end)) [best, from, to] = [score, start, end]
    })
    this.bestWindow.start = starts[from]!
    this.bestWindow.end = to < count ? starts[to]! : Number.POSITIVE_INFINITY
    return best
  }

  near(extent: Extent, position: number): number {
    let best = Number.NEGATIVE_INFINITY
    eachWindowAround(extent, this.#reading.count, tokenAt(this.#reading, position), (start, end) => {
      best = Math.max(best, this.#score(extent, start, end))
    })
    return best
  }

  #saysEnough(start: number, end: number): boolean {
    const starts = this.#reading.starts.subarray(start, end)
    return countWords(this.#view, starts, minWordsAlone) === minWordsAlone
  }

  #score(extent: Extent, start: number, end: number): number {
    const { scale, bias } = this.#weights[extent]
    const sums = this.#sums[extent]
    return scoreOf((sums[end]! - sums[start]!) * scale, ngramsIn(this.#reading, start, end)) + bias
  }
}
