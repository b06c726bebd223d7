// Chooses and weighs the texts that the reader of phrases is trained on.

import type { DisguisedText } from './disguises.ts'
import { countPhrases } from './phrase-vocabulary.ts'
import type { PublicNegative } from './public-negatives.ts'
import { weightOfTemplate } from './train-extent.ts'
import type { PhraseText } from './train-phrases.ts'
import { isEmbedded, isEveryday, type TemplateViews, type TrainingText } from './training-texts.ts'

/** Null: in no fold. */
export type FoldedPhrases = PhraseText & { fold: number | null }

/** Authors wrote nearly all texts, and most of theirs resemble attacks: everyday texts would be learned too little. */
const weights = { authored: 1, other: 2, everyday: 4, piece: 0.4 }

/** Without phrases in long texts of another kind: the text around them would be learned as the attack. */
export function readPhraseTexts(
  texts: readonly TrainingText[],
  disguised: readonly DisguisedText[],
  templates: readonly TemplateViews[],
  pieces: readonly PublicNegative[],
): FoldedPhrases[] {
  const toPhrases = (text: string, isAttack: boolean, weight: number, fold: number | null): FoldedPhrases => ({
    phrases: countPhrases(text),
    isAttack,
    weight,
    fold,
  })
  return [
    ...texts
      .filter(({ record }) => !isEmbedded(record))
      .map(text => toPhrases(text.record.text, text.isAttack, weightOf(text), text.fold)),
    ...disguised.map(text => toPhrases(text.disguised, text.isAttack, weights.authored, text.fold)),
    ...templates.map(({ text, isAttack }) => toPhrases(text, isAttack, weightOfTemplate, null)),
    ...pieces.map(({ text, fold }) => toPhrases(text, false, weights.piece, fold)),
  ]
}

function weightOf({ record }: TrainingText): number {
  if (record.author !== null) return weights.authored
  return isEveryday(record) ? weights.everyday : weights.other
}
