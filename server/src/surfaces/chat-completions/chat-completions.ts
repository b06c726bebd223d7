// OpenAI's chat completions as a surface, put together from the files of this folder.

import { type ClientRules, readByRules } from '../../domain/conversation/client-rules.ts'
import type { InferenceRequest, WeighedRequest } from '../../domain/conversation/inference-request.ts'
import type { TokenEstimate } from '../../domain/conversation/token-estimate.ts'
import { retryHint } from '../../http/error-formats.ts'
import type { Surface } from '../surface.ts'
import { errorBody, errorFrame } from './errors.ts'
import { readRequest } from './read-request.ts'
import { createStreamUsage, readUsageAtEnd, usageOf } from './read-usage.ts'
import { createStreamReply, createWholeReply } from './replies.ts'
import { type RequestFrame, weighRequest } from './weigh-request.ts'

export const chatCompletions: Surface = {
  pattern: '/v1/chat/completions',
  weigh(body) {
    const { frame, estimate } = weighRequest(body)
    return new WeighedCompletion(frame, estimate)
  },
  streamReply: createStreamReply,
  wholeReply: createWholeReply,
  errorBody,
  errorHeaders: retryHint,
  errorFrame,
  usage: { ofAnswer: usageOf, ofTail: readUsageAtEnd, ofStream: createStreamUsage },
}

class WeighedCompletion implements WeighedRequest {
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
