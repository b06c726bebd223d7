// The door between the gateway and the code that answers: the inference role in this process, or a service at INFERENCE_URL.
// The gateway has verified and admitted the request before it comes here; the other side writes the whole response.

import type { Verified } from '../domain/caller.ts'
import type { WeighedRequest } from '../domain/conversation/inference-request.ts'
import type { AdmittedCall } from './admitted-call.ts'

/** Between two of our processes alone: the tokens that a whole answer cost. */
export const usageHeader = 'x-usage-tokens'

export interface InferencePort {
  /**
   * Throws what is wrong with a request before it is admitted, so that it is not charged. Does nothing where another process
   * answers: its client has been charged by then.
   */
  check(asked: WeighedRequest, verified: Verified): void
  /** Resolves when the response has ended; a throw before the first byte is rendered by the caller. */
  answer(call: AdmittedCall): Promise<void>
}
