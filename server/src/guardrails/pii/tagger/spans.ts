// Joins likely tokens into names and places, each with a score: a raw chance at the trained cut becomes the threshold.

import { confidenceThreshold, type Finding } from '../../finding.ts'
import type { Reading } from './reading.ts'
import { gap, shape } from './tokens.ts'

/** Tokens below this share of the cut are no part of a span. */
const reach = 0.5

export function readSpans(
  reading: Reading,
  people: Float64Array,
  places: Float64Array,
  cuts: [number, number],
): Finding[] {
  const found: Finding[] = []
  collect(reading, people, cuts[0], 'PERSON', found)
  collect(reading, places, cuts[1], 'LOCATION', found)
  return found.sort((a, b) => a.start - b.start || a.end - b.end)
}

function collect(reading: Reading, chances: Float64Array, cut: number, type: Finding['type'], found: Finding[]): void {
  const { tokens } = reading
  const least = cut * reach
  for (let at = 0; at < tokens.count; at++) {
    if (chances[at]! < least || tokens.shape[at] === shape.symbol) continue
    let [end, sum] = [at, 0]
    let lastWord = at
    while (
      end < tokens.count &&
      chances[end]! >= least &&
      (end === at || tokens.gap[end]! <= (type === 'PERSON' ? gap.wide : gap.line))
    ) {
      if (tokens.shape[end] !== shape.symbol) lastWord = end
      end++
    }
    let words = 0
    for (let word = at; word <= lastWord; word++) {
      sum += chances[word]!
      words++
    }
    found.push({ start: tokens.start[at]!, end: tokens.end[lastWord]!, type, score: calibrate(sum / words, cut) })
    at = Math.max(at, end - 1)
  }
}

function calibrate(chance: number, cut: number): number {
  if (chance < cut) return (chance / cut) * confidenceThreshold
  return confidenceThreshold + ((chance - cut) / (1 - cut)) * (1 - confidenceThreshold)
}
