// OpenAI's chat completions as a surface, put together from the files of this folder.

import { type ClientRules, readByRules } from '../../domain/conversation/client-rules.ts'
import type { EstimatedRequest, InferenceRequest } from '../../domain/conversation/inference-request.ts'
import type { TokenEstimate } from '../../domain/conversation/token-estimate.ts'
import { retryHint } from '../../http/error-formats.ts'
import type { Surface } from '../surface.ts'
import { description } from './description.ts'
import { errorBody, errorFrame } from './errors.ts'
import { estimateRequest, type RequestFrame } from './estimate-request.ts'
import { readRequest } from './read-request.ts'
import { createStreamUsage, readUsageAtEnd, usageOf } from './read-usage.ts'
import { createStreamReply, createWholeReply } from './replies.ts'

export const chatCompletions: Surface = {
  pattern: '/v1/chat/completions',
  estimate(body) {
    const { frame, estimate } = estimateRequest(body)
    return new WeighedCompletion(frame, estimate)
  },
  streamReply: createStreamReply,
  wholeReply: createWholeReply,
  errorBody,
  errorHeaders: retryHint,
  errorFrame,
  usage: { ofAnswer: usageOf, ofTail: readUsageAtEnd, ofStream: createStreamUsage },
  description,
}

class WeighedCompletion implements EstimatedRequest {
  readonly estimate: TokenEstimate
  readonly #frame: RequestFrame
  #request: InferenceRequest | null = null

  constructor(frame: RequestFrame, estimate: TokenEstimate) {
    this.#frame = frame
    this.estimate = estimate
  }

  read(rules: ClientRules): InferenceRequest {
    this.#request ??= readByRules(this.#frame, rules, () => readRequest(this.#frame))
    return this.#request
  }
}
