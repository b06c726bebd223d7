// A client's request to a model, independent of any wire format, and its token estimate for admission.

import type { JsonObject } from '../json-object.ts'
import type { ClientRules } from './client-rules.ts'
import type { Prompt } from './prompt.ts'
import type { TokenEstimate } from './token-estimate.ts'

export interface InferenceRequest {
  /** As the client wrote it; null if the request names no model. */
  model: string | null
  prompt: Prompt
  /** Only of requests for a response. */
  response?: ResponseOptions
}

/** What a request for a response says of it besides the prompt. */
export interface ResponseOptions {
  /** Whether the client wants it to be stored. */
  wantsStore: boolean
  /** The stored response that this one continues. */
  previousId: string | null
  /** The fields of the request that it repeats. */
  echo: JsonObject
  /** Whether the client wants what the provider needs back to continue its reasoning. */
  sealsReasoning: boolean
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
