// Tags the people and places of a text: reads it, sums the weights, runs the chain and joins the likely tokens. Must
// not hold any of a text after it has returned.

import type { Finding } from '../../finding.ts'
import { featureCount, readFeatures } from './features.ts'
import { known } from './lexicon.ts'
import { atStart, type Chain, createChain, labels, readMarginals, rowWidth, runChain } from './marginals.ts'
import { createReading, readText, type TaggerReading } from './reading.ts'
import { readSpans } from './spans.ts'
import { maxNumberLength, shape } from './tokens.ts'
import type { Weights } from './weights-file.ts'

export interface Tagger {
  tag(text: string): Finding[]
  /**
   * The offset of the first word at the end of the text whose reading depends on what follows, or the text's length.
   */
  openEndOf(text: string): number
  /** Tokens read and weighed, and table slots read, for all texts so far. */
  readonly steps: number
}

interface Workspace {
  reading: TaggerReading
  chain: Chain
  people: Float64Array
  places: Float64Array
  /** The features of the current token. */
  features: Int32Array
  probabilities: Float64Array
}

const minCapacity = 1024
/** How many tokens the features of a token read after it. */
const tokensRead = 3

export function createTagger(weights: Weights): Tagger {
  let workspace = createWorkspace(minCapacity)
  let tokens = 0
  let lookups = 0

  function readInto(text: string): TaggerReading {
    if (text.length > workspace.reading.capacity)
      workspace = createWorkspace(Math.max(text.length, workspace.reading.capacity * 2))
    workspace.reading.seen.lookups = 0
    readText(text, weights.lexicon, workspace.reading)
    return workspace.reading
  }

  return {
    get steps() {
      return tokens + lookups + weights.lexicon.lookups
    },
    openEndOf(text) {
      const reading = readInto(text)
      const { count, start } = reading.tokens
      for (let at = Math.max(0, count - tokensRead); at < count; at++) {
        if (!mayBeName(reading, at)) continue
        // The words before it may be of the same name.
        while (at > 0 && mayBeName(reading, at - 1)) at--
        return start[at]!
      }
      return text.length
    },
    tag(text) {
      const { count } = readInto(text).tokens
      tokens += count
      lookups += workspace.reading.seen.lookups
      if (count === 0) return []
      for (let at = 0; at < count; at++) {
        if (workspace.reading.toWeigh[at] === 0) {
          workspace.people[at] = 0
          workspace.places[at] = 0
        } else {
          const end = weigh(workspace, at, weights)
          tokens += end - at
          at = end - 1
        }
      }
      return readSpans(text, workspace.reading, workspace, weights.cuts)
    },
  }
}

function createWorkspace(capacity: number): Workspace {
  return {
    reading: createReading(capacity),
    chain: createChain(capacity),
    people: new Float64Array(capacity),
    places: new Float64Array(capacity),
    features: new Int32Array(featureCount),
    probabilities: new Float64Array(rowWidth),
  }
}

/** Whether the token may be part of a name or an address. Common words are only part of one that is found anyway. */
function mayBeName({ tokens, toWeigh, bits }: TaggerReading, at: number): boolean {
  const look = tokens.shape[at]!
  const isCommon = look === shape.lower && (bits[at]! & known.common) !== 0
  const isHouseNumber = look > shape.number && look < shape.number + maxNumberLength
  return (toWeigh[at] !== 0 && !isCommon) || (bits[at]! & known.unit) !== 0 || isHouseNumber
}

/** Weighs the tokens from `first` to the next stop word or cell, and returns where it stopped. */
function weigh(workspace: Workspace, first: number, weights: Weights): number {
  const { reading, chain, people, places, probabilities } = workspace
  const { count } = reading.tokens
  let end = first
  do emit(workspace, end++, weights)
  while (end < count && reading.toWeigh[end] !== 0 && reading.cells[end] === 0)
  runChain(chain, first, end, weights.moves, first === 0 ? atStart : labels.outside, end < count)
  for (let at = first; at < end; at++) {
    readMarginals(chain, at, probabilities)
    people[at] = probabilities[labels.personBegins]! + probabilities[labels.personInside]!
    places[at] = probabilities[labels.placeBegins]! + probabilities[labels.placeInside]!
  }
  return end
}

function emit({ reading, chain, features }: Workspace, at: number, { rows, scale, mask }: Weights): void {
  const { emissions } = chain
  readFeatures(reading, at, mask, features, 0)
  let [a, b, c, d, e, f, g] = [0, 0, 0, 0, 0, 0, 0]
  for (let feature = 0; feature < featureCount; feature++) {
    const row = features[feature]!
    a = (a + rows[row]!) | 0
    b = (b + rows[row + 1]!) | 0
    c = (c + rows[row + 2]!) | 0
    d = (d + rows[row + 3]!) | 0
    e = (e + rows[row + 4]!) | 0
    f = (f + rows[row + 5]!) | 0
    g = (g + rows[row + 6]!) | 0
  }
  // A common part of the seven sums does not change the probabilities; subtracting it keeps the exponentials from
  // overflowing.
  const max = Math.max(a, b, c, d, e, f, g)
  const to = at * rowWidth
  emissions[to] = Math.exp((a - max) * scale)
  emissions[to + 1] = Math.exp((b - max) * scale)
  emissions[to + 2] = Math.exp((c - max) * scale)
  emissions[to + 3] = Math.exp((d - max) * scale)
  emissions[to + 4] = Math.exp((e - max) * scale)
  emissions[to + 5] = Math.exp((f - max) * scale)
  emissions[to + 6] = Math.exp((g - max) * scale)
}
