// Reads texts with all readers of the trial: the grammar and the model of the product, and the regression over phrases.

import {
  type ModelWeights,
  readModelWeights,
  type SizeCuts,
  writeModelWeights,
} from '../../../../server/src/guardrails/sentinel/model/model-weights.ts'
import type { Extent } from '../../../../server/src/guardrails/sentinel/model/windows.ts'
import { type SizedViews, viewsOf } from '../../../../server/test/guardrails/sentinel/model/read-views.ts'
import { createGauge } from '../calibrate.ts'
import type { TemplateText } from '../expand-templates.ts'
import { plan, trainExtent, weightOfTemplate } from '../train-extent.ts'
import { isEmbedded, type LabelledViews, type TrainingText } from '../training-texts.ts'
import type { Reading } from './fit-sum.ts'
import { type PhraseText, scorePhrases, trainPhrases } from './phrase-model.ts'
import { type CountedPhrases, countPhrases } from './phrase-vocabulary.ts'

/** A text in the forms that the trainers read. */
export interface ReadText extends SizedViews {
  text: string
  isAttack: boolean
  phrases: CountedPhrases
}

export interface Material {
  labelled: readonly (TrainingText & ReadText)[]
  disguised: readonly LabelledViews[]
  templates: readonly ReadText[]
  /** Harmless: what the windows and what the whole texts are trained on. */
  files: Readonly<Record<Extent, readonly ReadText[]>>
}

export type Reader = (texts: readonly ReadText[]) => Reading[]

const weightOfPiece = 0.4
const zero = { none: 0, vague: 0, usual: 0, firm: 0 }
const noCuts: SizeCuts = { short: { whole: zero, window: zero }, long: { window: zero } }

export function toReadText(text: string, isAttack: boolean): ReadText {
  return { text, isAttack, phrases: countPhrases(text), ...viewsOf(text) }
}

export function readTemplates(templates: readonly TemplateText[]): ReadText[] {
  return templates.map(({ text, isAttack }) => toReadText(text, isAttack))
}

export function trainReader(material: Material): Reader {
  const gauge = createGauge(trainWords(material))
  const model = trainPhrases(phraseTextsOf(material))
  return texts => {
    const scores = scorePhrases(
      model,
      texts.map(({ phrases }) => phrases),
    )
    return texts.map(({ text, isShort, views }, at) => ({
      evidence: gauge(text),
      isShort,
      views: Math.max(1, views.length),
      tokens: views[0]?.count ?? 0,
      phrases: scores[at]!,
    }))
  }
}

function trainWords({ labelled, disguised, templates, files }: Material): Pick<ModelWeights, Extent> {
  const train = (extent: Extent) => trainExtent(extent, [...labelled, ...disguised], templates, files[extent])
  const model = { whole: train('whole'), window: train('window'), cuts: noCuts, reading: 0 }
  return readModelWeights(writeModelWeights(model, plan.largest))
}

/** Without phrases in long texts of another kind: the text around them would be learned as the attack. */
function phraseTextsOf({ labelled, templates, files }: Material): PhraseText[] {
  const weighted = (texts: readonly ReadText[], weight: number) =>
    texts.map(({ phrases, isAttack }) => ({ phrases, isAttack, weight }))
  const plain = labelled.filter(({ record }) => !isEmbedded(record))
  return [...weighted(plain, 1), ...weighted(templates, weightOfTemplate), ...weighted(files.whole, weightOfPiece)]
}
