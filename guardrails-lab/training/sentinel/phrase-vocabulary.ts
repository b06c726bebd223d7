// Chooses the phrases that the model knows, and turns texts into rows of numbers.

import { valueOfCount } from '../../../server/src/guardrails/sentinel/model/phrase-reader.ts'
import { readPhrases } from '../../../server/src/guardrails/sentinel/model/phrases.ts'
import { firstView } from '../../../server/src/guardrails/sentinel/scan-text.ts'
import { sliceText } from '../../../server/src/guardrails/slices.ts'
import type { SparseRows } from './logistic.ts'

/** The hashes of a text's phrases, each once, with how often it occurs. */
export interface CountedPhrases {
  hashes: Uint32Array
  counts: Uint16Array
}

export interface Vocabulary {
  /** In ascending order. */
  hashes: Uint32Array
  /** How rare a phrase is, in sixteenths. */
  rarity: Uint8Array
}

const rarityUnit = 16
const maxRarity = 255

/** Of the first slice in the first of its readings: nearly all texts have no other. */
export function countPhrases(text: string): CountedPhrases {
  const slice = sliceText(text).next().value?.text ?? ''
  const { hashes, count } = readPhrases(firstView(slice))
  const counts = new Map<number, number>()
  for (let at = 0; at < count; at++) counts.set(hashes[at]!, (counts.get(hashes[at]!) ?? 0) + 1)
  return { hashes: Uint32Array.from(counts.keys()), counts: Uint16Array.from(counts.values()) }
}

/** The phrases that occur in at least `minTexts` of the texts. */
export function chooseVocabulary(texts: readonly CountedPhrases[], minTexts: number): Vocabulary {
  const all = new Uint32Array(texts.reduce((sum, { hashes }) => sum + hashes.length, 0))
  let length = 0
  for (const { hashes } of texts) {
    all.set(hashes, length)
    length += hashes.length
  }
  all.sort()
  const chosen: number[] = []
  const rarity: number[] = []
  for (let at = 0; at < all.length; ) {
    let end = at + 1
    while (end < all.length && all[end] === all[at]) end++
    if (end - at >= minTexts) {
      chosen.push(all[at]!)
      const rare = 1 + Math.log((1 + texts.length) / (1 + end - at))
      rarity.push(Math.min(maxRarity, Math.round(rare * rarityUnit)))
    }
    at = end
  }
  return { hashes: Uint32Array.from(chosen), rarity: Uint8Array.from(rarity) }
}

function indexOf({ hashes }: Vocabulary, wanted: number): number {
  let low = 0
  let high = hashes.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (hashes[middle]! === wanted) return middle
    if (hashes[middle]! < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** One row for each text. The squares of a row's values add up to one; unknown phrases do not count. */
export function toRows(texts: readonly CountedPhrases[], vocabulary: Vocabulary): SparseRows {
  const starts = new Int32Array(texts.length + 1)
  const most = texts.reduce((sum, { hashes }) => sum + hashes.length, 0)
  const columns = new Int32Array(most)
  const values = new Float32Array(most)
  let next = 0
  for (const [row, { hashes, counts }] of texts.entries()) {
    const first = next
    let squares = 0
    for (let at = 0; at < hashes.length; at++) {
      const index = indexOf(vocabulary, hashes[at]!)
      if (index < 0) continue
      const value = valueOfCount(counts[at]!) * vocabulary.rarity[index]!
      squares += value * value
      columns[next] = index
      values[next++] = value
    }
    for (let at = first; at < next; at++) values[at]! /= Math.sqrt(squares)
    starts[row + 1] = next
  }
  return { starts, columns: columns.slice(0, next), values: values.slice(0, next) }
}
