// OpenAI's chat completions as a surface, put together from the files of this folder.

import { type ClientRules, readByRules } from '../../domain/conversation/client-rules.ts'
import type { EstimatedRequest, InferenceRequest } from '../../domain/conversation/inference-request.ts'
import { endpoints } from '../../domain/conversation/operations.ts'
import type { TokenEstimate } from '../../domain/conversation/token-estimate.ts'
import { gatewayErrors, retryHint } from '../../http/error-formats.ts'
import { errorBody, errorFrame } from '../openai-errors.ts'
import { openaiUsage } from '../openai-usage.ts'
import type { Endpoint, Surface } from '../surface.ts'
import { description } from './description.ts'
import { estimateRequest, type RequestFrame } from './estimate-request.ts'
import { readRequest } from './read-request.ts'
import { createStreamReply, createWholeReply } from './replies.ts'

export const chatCompletionsEndpoint: Endpoint = {
  ...endpoints.chat_completions,
  estimate(body) {
    const { frame, estimate } = estimateRequest(body)
    return new WeighedCompletion(frame, estimate)
  },
  streamReply: createStreamReply,
  wholeReply: createWholeReply,
  description,
}

export const chatCompletions: Surface = {
  wireFormat: endpoints.chat_completions.wireFormat,
  gatewayErrors,
  errorSchema: 'ChatCompletionError',
  acceptsApiKeyHeader: false,
  requestIdHeader: null,
  providerHeaders: [],
  ordersParts: false,
  endpoints: [chatCompletionsEndpoint],
  errorBody,
  errorHeaders: retryHint,
  errorFrame,
  usage: openaiUsage,
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
