// Scores a view by its phrases, each of which adds its weight. Phrases that the weights do not know count nothing. All
// values are whole numbers until they are brought to one length, so the order of the phrases changes nothing.

import { type NetWeights, netHidden, netWidth, normalize, scoreNormal } from './phrase-net.ts'
import { readPhrases } from './phrases.ts'

export interface PhraseWeights {
  /** In ascending order. */
  hashes: Uint32Array
  /** How rare each phrase is, in sixteenths. */
  rarity: Uint8Array
  /** One for each phrase; times `scale` it is what the phrase adds. */
  rows: Int8Array
  scale: number
  bias: number
  net: NetWeights
}

export interface PhraseReader {
  score(view: Uint16Array): number
  /** What the network says about the last view. */
  readonly netScore: number
  /** How many phrases the last view had. */
  readonly work: number
}

/** What a phrase counts that occurs once, so that all counts are whole numbers. */
const countUnit = 64
const maxCount = 1_023
/** What a number of occurrences counts: twice the same phrase less than two phrases. Training uses it too. */
const countValues = Int32Array.from({ length: maxCount + 1 }, (_, count) =>
  count === 0 ? 0 : Math.round((1 + Math.log(count)) * countUnit),
)
/** A third of the table or more is empty, so a phrase is found at its place or a few places on. */
const placesPerPhrase = 1.5
const firstCapacity = 1_024

export function valueOfCount(count: number): number {
  return countValues[Math.min(count, maxCount)]!
}

export function createPhraseReader(weights: PhraseWeights): PhraseReader {
  return new BagReader(weights)
}

const entryLength = 3
/** Of an entry's second number: eight bits of rarity, which is never zero, ten of the count, eight of the row. */
const rarityShift = 24
const countShift = 8
const countMask = 0x3ff00
const rowMask = 0xff

/**
 * The phrases stand in one table, each beside what it counts and how often the view has it: a search in memory that the
 * processor does not hold is what a phrase costs. An entry has the hash, then the rarity, the count and the weight, and
 * last where the phrase's vector begins.
 */
class BagReader implements PhraseReader {
  work = 0
  netScore = 0
  readonly #table: Int32Array
  readonly #mask: number
  readonly #scale: number
  readonly #bias: number
  readonly #net: NetWeights
  readonly #sums = new Int32Array(netWidth)
  readonly #normal = new Float64Array(netWidth)
  readonly #hidden = new Float64Array(netHidden)
  /** Where the different phrases of the view stand in the table. */
  #different = new Int32Array(firstCapacity)

  constructor({ hashes, rarity, rows, scale, bias, net }: PhraseWeights) {
    const places = 2 ** Math.ceil(Math.log2((hashes.length + 1) * placesPerPhrase))
    this.#table = new Int32Array(places * entryLength)
    this.#mask = places - 1
    this.#scale = scale
    this.#bias = bias
    this.#net = net
    for (let at = 0; at < hashes.length; at++) {
      const hash = hashes[at]! | 0
      const entry = this.#find(hash)
      this.#table[entry] = hash
      this.#table[entry + 1] = (rarity[at]! << rarityShift) | (rows[at]! & rowMask)
      this.#table[entry + 2] = at * netWidth
    }
  }

  score(view: Uint16Array): number {
    const table = this.#table
    const different = this.#count(view)
    let sum = 0
    let squares = 0
    this.#sums.fill(0)
    for (let at = 0; at < different; at++) {
      const place = this.#different[at]! + 1
      const entry = table[place]!
      table[place] = entry & ~countMask
      const value = valueOfCount((entry & countMask) >> countShift) * (entry >>> rarityShift)
      squares += value * value
      sum += value * ((entry << rarityShift) >> rarityShift)
      this.#addVector(table[place + 1]!)
    }
    normalize(this.#sums, this.#normal)
    this.netScore = scoreNormal(this.#net.layers, this.#normal, this.#hidden)
    return squares === 0 ? this.#bias : (sum / Math.sqrt(squares)) * this.#scale + this.#bias
  }

  #addVector(first: number): void {
    const sums = this.#sums
    const { vectors } = this.#net
    for (let at = 0; at < netWidth; at++) sums[at]! += vectors[first + at]!
  }

  /** Counts the known phrases of the view and returns how many different ones there are. */
  #count(view: Uint16Array): number {
    const table = this.#table
    const { hashes, count } = readPhrases(view)
    if (count > this.#different.length) this.#different = new Int32Array(count)
    let different = 0
    for (let at = 0; at < count; at++) {
      const place = this.#find(hashes[at]!)
      const entry = table[place + 1]!
      if (entry === 0) continue
      const before = entry & countMask
      if (before === 0) this.#different[different++] = place
      if (before < countMask) table[place + 1] = entry + (1 << countShift)
    }
    this.work = count
    return different
  }

  /** Where the phrase stands, or where it would stand: there the second number is zero. */
  #find(hash: number): number {
    const table = this.#table
    let place = hash & this.#mask
    while (table[place * entryLength + 1] !== 0 && table[place * entryLength] !== hash) place = (place + 1) & this.#mask
    return place * entryLength
  }
}
