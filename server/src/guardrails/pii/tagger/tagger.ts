// From a text to its people and places: reads it, sums the weights, runs the chain and takes the runs of likely tokens.
// Knows no files; holds nothing of a text once it has answered.

import type { Finding } from '../../finding.ts'
import { featureCount, readFeatures } from './features.ts'
import { type Chain, createChain, labelCount, readMarginals, rowWidth, runChain } from './marginals.ts'
import { createReading, type Reading, readText } from './reading.ts'
import { readSpans } from './spans.ts'
import type { Weights } from './weights-file.ts'

export interface Tagger {
  tag(text: string): Finding[]
}

interface Desk {
  reading: Reading
  chain: Chain
  people: Float64Array
  places: Float64Array
}

const smallestDesk = 1024

export function createTagger(weights: Weights): Tagger {
  let desk = createDesk(smallestDesk)
  return {
    tag(text) {
      if (text.length > desk.reading.capacity) desk = createDesk(text.length)
      readText(text, weights.lexicon, desk.reading)
      const { count } = desk.reading.tokens
      if (count === 0) return []
      emit(desk, weights)
      runChain(desk.chain, count, weights.moves)
      const chances = new Float64Array(labelCount)
      for (let at = 0; at < count; at++) {
        readMarginals(desk.chain, at, chances)
        desk.people[at] = chances[1]! + chances[2]!
        desk.places[at] = chances[3]! + chances[4]!
      }
      return readSpans(desk.reading, desk.people, desk.places, weights.cuts)
    },
  }
}

function createDesk(capacity: number): Desk {
  return {
    reading: createReading(capacity),
    chain: createChain(capacity),
    people: new Float64Array(capacity),
    places: new Float64Array(capacity),
  }
}

function emit({ reading, chain }: Desk, { rows, scale, mask }: Weights): void {
  const features = new Int32Array(featureCount)
  const { emissions } = chain
  for (let at = 0; at < reading.tokens.count; at++) {
    readFeatures(reading, at, mask, features, 0)
    let [a, b, c, d, e, f, g] = [0, 0, 0, 0, 0, 0, 0]
    for (let feature = 0; feature < featureCount; feature++) {
      const row = features[feature]!
      a += rows[row]!
      b += rows[row + 1]!
      c += rows[row + 2]!
      d += rows[row + 3]!
      e += rows[row + 4]!
      f += rows[row + 5]!
      g += rows[row + 6]!
    }
    // The common part of the seven sums drops out of the chances; without it no exponential can overflow.
    const most = Math.max(a, b, c, d, e, f, g)
    const to = at * rowWidth
    emissions[to] = Math.exp((a - most) * scale)
    emissions[to + 1] = Math.exp((b - most) * scale)
    emissions[to + 2] = Math.exp((c - most) * scale)
    emissions[to + 3] = Math.exp((d - most) * scale)
    emissions[to + 4] = Math.exp((e - most) * scale)
    emissions[to + 5] = Math.exp((f - most) * scale)
    emissions[to + 6] = Math.exp((g - most) * scale)
  }
}
