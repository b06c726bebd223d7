// A client's request to a model, independent of any wire format, and its token estimate for admission.

import type { ClientRules } from './client-rules.ts'
import type { Prompt } from './prompt.ts'
import type { TokenEstimate } from './token-estimate.ts'

export interface InferenceRequest {
  /** As the client wrote it; null if the request names no model. */
  model: string | null
  prompt: Prompt
}

/**
 * A body that passed the first stage of parsing. Only the process that answers reads the rest; a gateway alone
 * needs just the estimate.
 */
export interface EstimatedRequest {
  readonly estimate: TokenEstimate
  /** Applies the rules; throws the first invalid field. Repeated calls return the result of the first. */
  read(rules: ClientRules): InferenceRequest
}
