// What the PII scanner says it has found. Offsets count UTF-16 units of the text as it came, not of any normalised view.

import type { EntityType } from '../domain/settings/settings.ts'

export interface Finding {
  start: number
  /** Exclusive. */
  end: number
  type: EntityType
  /** How sure, from 0 to 1; what lies below the threshold is no find. */
  score: number
}

/** The contract's cut: calibrated scores below it are dropped. */
export const confidenceThreshold = 0.7
