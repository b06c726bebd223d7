// Marks the parts of postal addresses by their grammar: house number, street, unit, post office box, state and postal
// code. The marks are features for the tagger and set a minimum for the score.

import { known } from './lexicon.ts'
import { gap, shape, suffixHash, type TaggerTokens } from './tokens.ts'

export const addressPart = {
  none: 0,
  house: 1,
  name: 2,
  street: 3,
  unit: 4,
  box: 5,
  state: 6,
  code: 7,
  compound: 8,
} as const

/** Endings of words that are streets: Lindenstrasse, Kerkstraat, Storgatan. */
const streetEndings = new Set(
  [
    'strasse',
    'strase',
    'weg',
    'gasse',
    'platz',
    'allee',
    'straat',
    'laan',
    'gracht',
    'gatan',
    'gata',
    'vagen',
    'vej',
    'gade',
    'katu',
    'utca',
  ].map(suffixHash),
)
const minCompoundLength = 6

/** The columns that are read here, and the one that is written. */
interface Columns {
  tokens: TaggerTokens
  bits: Uint16Array
  address: Uint8Array
}

/** Words between a house number and the word for street, as in `12 Old Mill House Lane`. */
const maxNameLength = 4

export function readAddresses(text: string, reading: Columns): void {
  const { tokens, bits, address } = reading
  address.fill(addressPart.none, 0, tokens.count)
  for (let at = 0; at < tokens.count; at++) {
    const look = tokens.shape[at]!
    if (isHouseNumber(text, tokens, at)) markStreet(reading, at)
    else if (isCompound(tokens, at)) markCompound(reading, at)
    else if ((bits[at]! & known.unit) !== 0) markUnit(reading, at)
    else if ((bits[at]! & known.state) !== 0 && look === shape.allCaps) markState(reading, at)
  }
}

function isNumber(tokens: TaggerTokens, at: number, from: number, to: number): boolean {
  const digits = tokens.shape[at]! - shape.number
  return digits >= from && digits <= to
}

function isHouseNumber(text: string, tokens: TaggerTokens, at: number): boolean {
  if (isNumber(tokens, at, 1, 5)) return true
  if (tokens.shape[at] !== shape.withDigits || tokens.end[at]! - tokens.start[at]! > 5) return false
  const first = text.charCodeAt(tokens.start[at]!)
  return first >= 0x30 && first <= 0x39
}

function markStreet(reading: Columns, house: number): void {
  const { tokens, bits, address } = reading
  const end = Math.min(tokens.count, house + maxNameLength + 2)
  for (let at = house + 1; at < end; at++) {
    if (tokens.gap[at]! > gap.wide || (tokens.shape[at] === shape.symbol && tokens.gap[at] === gap.space)) return
    if (at > house + 1 && (bits[at]! & known.street) !== 0) {
      address[house] = addressPart.house
      address.fill(addressPart.name, house + 1, at)
      address[at] = addressPart.street
      return
    }
  }
}

function isCompound(tokens: TaggerTokens, at: number): boolean {
  const isLong = tokens.end[at]! - tokens.start[at]! >= minCompoundLength
  return isLong && at + 1 < tokens.count && streetEndings.has(tokens.suffix3[at]!)
}

/** The street comes before the number: `Lindenstrasse 14`. */
function markCompound({ tokens, address }: Columns, at: number): void {
  if (tokens.gap[at + 1] !== gap.space) return
  if (!isNumber(tokens, at + 1, 1, 4) && tokens.shape[at + 1] !== shape.withDigits) return
  address.fill(addressPart.compound, at, at + 2)
}

function markUnit(reading: Columns, at: number): void {
  const { tokens, address } = reading
  let number = at + 1
  while (number < Math.min(tokens.count, at + 3) && tokens.shape[number] === shape.symbol) number++
  if (number >= tokens.count || tokens.gap[number]! > gap.wide) return
  const look = tokens.shape[number]!
  if (look < shape.number && look !== shape.withDigits && look !== shape.capital) return
  address.fill(addressPart.unit, at, number + 1)
}

function markState(reading: Columns, at: number): void {
  const { tokens, address } = reading
  if (at + 1 >= tokens.count || tokens.gap[at + 1]! > gap.wide || !isNumber(tokens, at + 1, 5, 5)) return
  address[at] = addressPart.state
  address[at + 1] = addressPart.code
}
