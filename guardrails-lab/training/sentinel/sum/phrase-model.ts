// A regression over the phrases of a text.

import { fitLogistic } from './logistic.ts'
import { type CountedPhrases, chooseVocabulary, toRows, type Vocabulary } from './phrase-vocabulary.ts'

export interface PhraseText {
  phrases: CountedPhrases
  isAttack: boolean
  weight: number
}

export interface PhraseModel {
  vocabulary: Vocabulary
  /** One for each phrase, and the bias after them. */
  weights: Float64Array
}

/** A phrase of fewer texts tells more about their authors than about attacks. */
const minTexts = 3
const strength = 8

export function trainPhrases(texts: readonly PhraseText[], fewestTexts = minTexts): PhraseModel {
  const counted = texts.map(({ phrases }) => phrases)
  const vocabulary = chooseVocabulary(counted, fewestTexts)
  const weights = fitLogistic({
    rows: toRows(counted, vocabulary),
    labels: Uint8Array.from(texts, ({ isAttack }) => (isAttack ? 1 : 0)),
    weights: Float64Array.from(texts, ({ weight }) => weight),
    columnCount: vocabulary.hashes.length,
    strength,
  })
  return { vocabulary, weights }
}

export function scorePhrases({ vocabulary, weights }: PhraseModel, texts: readonly CountedPhrases[]): number[] {
  const { starts, columns, values } = toRows(texts, vocabulary)
  return texts.map((_, row) => {
    let score = weights[vocabulary.hashes.length]!
    for (let at = starts[row]!; at < starts[row + 1]!; at++) score += weights[columns[at]!]! * values[at]!
    return score
  })
}
