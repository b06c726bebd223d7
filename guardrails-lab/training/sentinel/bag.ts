// A training text in the form that the trainer reads.
import type { SizedViews } from '../../../server/test/guardrails/sentinel/model/read-views.ts'

/** A text is an attack if any window of any view is one. */
export interface Bag extends SizedViews {
  isAttack: boolean
  weight: number
}
