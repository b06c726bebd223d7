// A request body that passed the first stage of reading, with the second stage still to be run.

import { type ClientRules, readByRules } from '../domain/conversation/client-rules.ts'
import type { EstimatedRequest, InferenceRequest } from '../domain/conversation/inference-request.ts'
import type { TokenEstimate } from '../domain/conversation/token-estimate.ts'
import type { JsonObject } from '../domain/json-object.ts'

/** What the first stage returns: the fields that it checked, and what they may cost. */
export interface Framed<Frame extends object> {
  frame: Frame
  estimate: TokenEstimate
}

export class FramedRequest implements EstimatedRequest {
  readonly estimate: TokenEstimate
  readonly #body: JsonObject
  readonly #read: () => InferenceRequest
  #request: InferenceRequest | null = null

  /** `read` is the second stage, which runs once. The project's rules are checked on the body. */
  constructor(estimate: TokenEstimate, body: JsonObject, read: () => InferenceRequest) {
    this.estimate = estimate
    this.#body = body
    this.#read = read
  }

  read(rules: ClientRules): InferenceRequest {
    this.#request ??= readByRules(this.#body, rules, this.#read)
    return this.#request
  }
}
