// Scores a view by its phrases, each of which adds its weight. Phrases that the weights do not know count nothing. All
// values are whole numbers until they are brought to one length, so the order of the phrases changes nothing.

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
}

export interface PhraseReader {
  score(view: Uint16Array): number
  /** How many phrases the last view had. */
  readonly work: number
}

/** What a phrase counts that occurs once, so that all counts are whole numbers. */
const countUnit = 64
const maxCount = 1_024
/** What a number of occurrences counts: twice the same phrase less than two phrases. Training uses it too. */
const countValues = Int32Array.from({ length: maxCount + 1 }, (_, count) =>
  count === 0 ? 0 : Math.round((1 + Math.log(count)) * countUnit),
)
const slotBits = 16
const firstCapacity = 1_024

export function valueOfCount(count: number): number {
  return countValues[Math.min(count, maxCount)]!
}

export function createPhraseReader(weights: PhraseWeights): PhraseReader {
  return new BagReader(weights)
}

class BagReader implements PhraseReader {
  work = 0
  readonly #weights: PhraseWeights
  /** Where the hashes with the same first bits begin. */
  readonly #slots: Int32Array
  readonly #counts: Uint16Array
  /** The different phrases of the view. */
  #different = new Int32Array(firstCapacity)

  constructor(weights: PhraseWeights) {
    this.#weights = weights
    this.#slots = slotsOf(weights.hashes)
    this.#counts = new Uint16Array(weights.hashes.length)
  }

  score(view: Uint16Array): number {
    const { rarity, rows, scale, bias } = this.#weights
    const different = this.#count(view)
    let sum = 0
    let squares = 0
    for (let at = 0; at < different; at++) {
      const phrase = this.#different[at]!
      const value = valueOfCount(this.#counts[phrase]!) * rarity[phrase]!
      this.#counts[phrase] = 0
      squares += value * value
      sum += value * rows[phrase]!
    }
    return squares === 0 ? bias : (sum / Math.sqrt(squares)) * scale + bias
  }

  /** Counts the known phrases of the view and returns how many different ones there are. */
  #count(view: Uint16Array): number {
    const { hashes, count } = readPhrases(view)
    if (count > this.#different.length) this.#different = new Int32Array(count)
    let different = 0
    for (let at = 0; at < count; at++) {
      const phrase = this.#find(hashes[at]! >>> 0)
      if (phrase < 0) continue
      const before = this.#counts[phrase]!
      if (before === 0) this.#different[different++] = phrase
      if (before < maxCount) this.#counts[phrase] = before + 1
    }
    this.work = count
    return different
  }

  #find(hash: number): number {
    const { hashes } = this.#weights
    const slot = hash >>> (32 - slotBits)
    const end = this.#slots[slot + 1]!
    for (let at = this.#slots[slot]!; at < end; at++) if (hashes[at] === hash) return at
    return -1
  }
}

function slotsOf(hashes: Uint32Array): Int32Array {
  const slots = new Int32Array((1 << slotBits) + 1)
  for (const hash of hashes) slots[(hash >>> (32 - slotBits)) + 1]!++
  for (let slot = 0; slot < 1 << slotBits; slot++) slots[slot + 1]! += slots[slot]!
  return slots
}
