// Trains the weights of one extent of the model, with the settings of the product.

import type { Extent } from '../../../server/src/guardrails/sentinel/model/windows.ts'
import type { SizedViews } from '../../../server/test/guardrails/sentinel/model/read-views.ts'
import { createChance } from '../chance.ts'
import type { Bag } from './bag.ts'
import { type FitPlan, type FittedModel, fit } from './fit.ts'
import type { LabelledViews } from './training-texts.ts'

export const plan: FitPlan = { epochs: 16, rate: 0.4, dropped: 0.1, decay: 0.001, largest: 4 }
/** Many of them are made from one pattern, so each says less than a text that somebody wrote. */
export const weightOfTemplate = 0.3
/** Files are no messages of users: they must not drown what people wrote. */
const weightOfPiece = 0.3

/** Windows are trained on short texts too: an attack within a long text reads like a short one. */
export function trainExtent(
  extent: Extent,
  labelled: readonly LabelledViews[],
  templates: readonly LabelledViews[],
  harmless: readonly SizedViews[],
  seed = 0,
): FittedModel {
  const weightOfFile = extent === 'whole' ? weightOfPiece : 1
  const bags: Bag[] = [
    ...labelled.map(text => ({ ...text, weight: 1 })),
    ...templates.map(text => ({ ...text, weight: weightOfTemplate })),
    ...harmless.map(text => ({ ...text, isAttack: false, weight: weightOfFile })),
  ]
  return fit(extent, extent === 'whole' ? bags.filter(bag => bag.isShort) : bags, plan, createChance(3 + seed))
}
