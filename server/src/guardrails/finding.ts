// A match of the PII scanner. Offsets count UTF-16 units of the original text, not of a normalised view.

import type { EntityName } from '../domain/settings/settings.ts'

export interface Finding {
  start: number
  /** Exclusive. */
  end: number
  type: EntityName
  /** Confidence from 0 to 1; a match below the threshold does not count. */
  score: number
}

/** Fixed by the contract: matches with a lower calibrated score are dropped. */
export const confidenceThreshold = 0.7
