// Trains the reader of phrases: chooses its vocabulary, and fits a regression and a network over it, in the whole numbers
// of the product.

import type { PhraseWeights } from '../../../server/src/guardrails/sentinel/model/phrase-reader.ts'
import { fitLogistic } from './logistic.ts'
import { type CountedPhrases, chooseVocabulary, toRows } from './phrase-vocabulary.ts'
import { trainNet } from './train-net.ts'

export interface PhraseText {
  phrases: CountedPhrases
  isAttack: boolean
  weight: number
}

/** A phrase of fewer texts tells more about their authors than about attacks. */
const minTexts = 3
const strength = 8
const maxRow = 127
/** Few weights are larger than this many times the usual one; they are cut to it, or all others would lose precision. */
const largestShare = 8

export function trainPhrases(texts: readonly PhraseText[], seed = 0, fewestTexts = minTexts): PhraseWeights {
  const counted = texts.map(({ phrases }) => phrases)
  const vocabulary = chooseVocabulary(counted, fewestTexts)
  const columnCount = vocabulary.hashes.length
  const task = {
    rows: toRows(counted, vocabulary),
    labels: Uint8Array.from(texts, ({ isAttack }) => (isAttack ? 1 : 0)),
    weights: Float64Array.from(texts, ({ weight }) => weight),
    columnCount,
  }
  const weights = fitLogistic({ ...task, strength })
  return {
    ...vocabulary,
    ...toWhole(weights.subarray(0, columnCount)),
    bias: weights[columnCount]!,
    net: trainNet(task, seed),
  }
}

function toWhole(weights: Float64Array): Pick<PhraseWeights, 'rows' | 'scale'> {
  const squares = weights.reduce((sum, weight) => sum + weight * weight, 0)
  const scale = (largestShare * Math.sqrt(squares / weights.length)) / maxRow
  const toRow = (weight: number) => Math.max(-maxRow, Math.min(maxRow, Math.round(weight / scale)))
  return { rows: Int8Array.from(weights, toRow), scale }
}
