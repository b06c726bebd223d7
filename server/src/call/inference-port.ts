// The interface between the gateway and the inference role, in this process or at INFERENCE_URL. The gateway has
// authenticated and admitted the request; the other side writes the whole response.

import type { Verified } from '../domain/caller.ts'
import type { ClientRules } from '../domain/conversation/client-rules.ts'
import type { EstimatedRequest } from '../domain/conversation/inference-request.ts'
import type { AdmittedCall } from './admitted-call.ts'

/** Sent between two of our processes only: the tokens of a whole answer. */
export const usageHeader = 'x-usage-tokens'
/** `true` beside a number of tokens that was estimated here, because the provider does not count. */
export const estimateHeader = 'x-sallyport-estimate'
/** With routes: the model of the target that answered, and how many calls to providers were begun for it. */
export const modelHeader = 'x-sallyport-model'
export const attemptsHeader = 'x-sallyport-attempts'
/** On a request: whether it may be answered from the cache. On a response: whether it was. */
export const cacheHeader = 'x-sallyport-cache'
/** Sent between two of our processes only: the code of an error response. */
export const refusalHeader = 'x-refusal-code'

export interface InferencePort {
  /**
   * Throws if the request is invalid, before it is admitted and charged. A no-op if another process answers, since that
   * one runs after the charge.
   */
  checkRequest(estimated: EstimatedRequest, verified: Verified, rules: ClientRules): void
  /** Resolves when the response has ended; the caller renders an error thrown before the first byte. */
  answer(call: AdmittedCall): Promise<void>
}
