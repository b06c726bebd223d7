// Joins likely tokens into names and places with scores: a raw probability at the trained cut becomes the threshold.

import { confidenceThreshold, type Finding } from '../../finding.ts'
import { addressPart } from './address.ts'
import { known } from './lexicon.ts'
import type { TaggerReading } from './reading.ts'
import { gap, shape, type TaggerTokens } from './tokens.ts'

export interface Probabilities {
  people: Float64Array
  places: Float64Array
}

/** Tokens below this share of the cut are not part of a span. */
const reach = 0.5
/** A name with this probability in one place raises the same word elsewhere. */
const sure = 0.85

/** Keeps matches with little evidence below the threshold. */
const doubt = 0.6

export function readSpans(
  text: string,
  reading: TaggerReading,
  probabilities: Probabilities,
  cuts: [number, number],
): Finding[] {
  repeatNames(reading, probabilities, cuts[0])
  raiseStreets(reading, probabilities, cuts[1])
  const found: Finding[] = []
  collect(text, reading, probabilities.people, probabilities.places, cuts[0], 'PERSON', found)
  collect(text, reading, probabilities.places, probabilities.people, cuts[1], 'LOCATION', found)
  return found.sort((a, b) => a.start - b.start || a.end - b.end)
}

/**
 * Raises words that are a certain part of a name elsewhere and have a capital, above the place that they would
 * otherwise be, unless this place is as certain.
 */
function repeatNames({ tokens, bits, seen }: TaggerReading, { people, places }: Probabilities, cut: number): void {
  let areAny = false
  for (let at = 0; at < tokens.count; at++) {
    if (people[at]! < sure || !hasCapital(tokens, at) || (bits[at]! & known.common) !== 0) continue
    seen.names[seen.slots[at]!] = 1
    areAny = true
  }
  if (!areAny) return
  for (let at = 0; at < tokens.count; at++) {
    if (people[at]! >= cut || !hasCapital(tokens, at) || seen.names[seen.slots[at]!] === 0) continue
    if (places[at]! >= sure) continue
    people[at] = Math.max(people[at]!, cut + 0.1)
    places[at] = Math.min(places[at]!, 1 - people[at]!)
  }
}

/** Raises a house number and street at the beginning or end of a cell, where the surroundings carry little evidence. */
function raiseStreets({ tokens, cells, address }: TaggerReading, { people, places }: Probabilities, cut: number): void {
  for (let at = 0; at < tokens.count; at++) {
    if (address[at] !== addressPart.house) continue
    let end = at + 1
    while (end < tokens.count && address[end] === addressPart.name) end++
    if (end === tokens.count || address[end] !== addressPart.street) continue
    end++
    if (cells[at] === 1 || (end < tokens.count && cells[end] === 1)) {
      for (let word = at; word < end; word++) {
        if (people[word]! < 0.5) places[word] = Math.max(places[word]!, cut + 0.1)
      }
    }
    at = end - 1
  }
}

function hasCapital(tokens: TaggerTokens, at: number): boolean {
  const look = tokens.shape[at]!
  return look === shape.capitalised || look === shape.mixedCapital || look === shape.allCaps
}

function collect(
  text: string,
  reading: TaggerReading,
  probabilities: Float64Array,
  others: Float64Array,
  cut: number,
  type: 'PERSON' | 'LOCATION',
  found: Finding[],
): void {
  const { tokens, cells } = reading
  const minProbability = cut * reach
  const widest = type === 'PERSON' ? gap.wide : gap.line
  for (let at = 0; at < tokens.count; at++) {
    if (probabilities[at]! < minProbability || probabilities[at]! < others[at]! || tokens.shape[at] === shape.symbol)
      continue
    let end = at + 1
    while (
      end < tokens.count &&
      probabilities[end]! >= minProbability &&
      probabilities[end]! >= others[end]! &&
      tokens.gap[end]! <= widest &&
      cells[end] === 0
    ) {
      if (endsSentence(text, reading, end)) break
      end++
    }
    const next = end
    while (tokens.shape[end - 1] === shape.symbol) end--
    let sum = 0
    for (let word = at; word < end; word++) sum += probabilities[word]!
    const score = calibrate(sum / (end - at), cut) * (hasLittleEvidence(tokens, at, end) ? doubt : 1)
    const [first, last] = type === 'PERSON' ? [at, end - 1] : fitAddress(text, reading, at, end - 1)
    found.push({ start: tokens.start[first]!, end: tokens.end[last]!, type, score })
    at = next - 1
  }
}

/**
 * Before a capital, after a full stop that does not belong to an initial, a title or a short word, as in `St. Louis`.
 */
function endsSentence(text: string, { tokens, bits }: TaggerReading, at: number): boolean {
  if (tokens.gap[at] === gap.none || text.charCodeAt(tokens.start[at - 1]!) !== 0x2e) return false
  const before = at - 2
  if (before < 0 || tokens.end[before]! - tokens.start[before]! < 4) return false
  return (bits[before]! & (known.title | known.street | known.unit)) === 0 && tokens.shape[before]! < shape.number
}

/** One letter, or only numbers. */
function hasLittleEvidence(tokens: TaggerTokens, first: number, end: number): boolean {
  if (end === first + 1 && tokens.end[first]! - tokens.start[first]! === 1) return true
  for (let at = first; at < end; at++) {
    if (tokens.shape[at]! > shape.symbol && tokens.shape[at]! < shape.number) return false
  }
  return true
}

/**
 * A number before a comma is an age or a price; one directly before a street or after a place belongs to the address.
 */
function fitAddress(text: string, { tokens, cells }: TaggerReading, first: number, last: number): [number, number] {
  let [from, to] = [first, last]
  if (from < to - 1 && isNumber(tokens, from) && text.charCodeAt(tokens.start[from + 1]!) === 0x2c) from += 2
  else if (
    from > 0 &&
    isNumber(tokens, from - 1) &&
    tokens.gap[from] === gap.space &&
    cells[from] === 0 &&
    opensAddress(text, tokens, from - 1)
  )
    from--
  const after = to + 1
  const isCode =
    after < tokens.count &&
    tokens.shape[after]! >= shape.number + 5 &&
    tokens.gap[after] === gap.space &&
    cells[after] === 0
  if (isCode && (after + 1 >= tokens.count || tokens.gap[after + 1]! >= gap.line)) to = after
  return [from, to]
}

function isNumber(tokens: TaggerTokens, at: number): boolean {
  return tokens.shape[at]! >= shape.number && tokens.shape[at]! <= shape.number + 5
}

/** At the start of a line, or after a comma. */
function opensAddress(text: string, tokens: TaggerTokens, at: number): boolean {
  return tokens.gap[at]! >= gap.line || (at > 0 && text.charCodeAt(tokens.start[at - 1]!) === 0x2c)
}

function calibrate(probability: number, cut: number): number {
  if (probability < cut) return (probability / cut) * confidenceThreshold
  return Math.min(1, confidenceThreshold + ((probability - cut) / (1 - cut)) * (1 - confidenceThreshold))
}
