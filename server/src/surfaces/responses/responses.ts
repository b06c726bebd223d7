// OpenAI's Responses as a surface, put together from the files of this folder.

import { type ClientRules, readByRules } from '../../domain/conversation/client-rules.ts'
import type { EstimatedRequest, InferenceRequest } from '../../domain/conversation/inference-request.ts'
import { endpoints } from '../../domain/conversation/operations.ts'
import type { TokenEstimate } from '../../domain/conversation/token-estimate.ts'
import { gatewayErrors, retryHint } from '../../http/error-formats.ts'
import { errorBody } from '../openai-errors.ts'
import { openaiUsage } from '../openai-usage.ts'
import type { Endpoint, Surface } from '../surface.ts'
import { description } from './description.ts'
import { errorFrame } from './errors.ts'
import { estimateRequest, type ResponseRequestFrame } from './estimate-request.ts'
import { readRequest } from './read-request.ts'
import { createStreamReply, createWholeReply } from './replies.ts'

export const responsesEndpoint: Endpoint = {
  ...endpoints.responses,
  estimate(body, bytes) {
    const { frame, estimate } = estimateRequest(body)
    return new WeighedRequest(frame, estimate, bytes)
  },
  streamReply: createStreamReply,
  wholeReply: createWholeReply,
  description,
}

export const responses: Surface = {
  wireFormat: endpoints.responses.wireFormat,
  gatewayErrors,
  errorSchema: 'ResponsesError',
  acceptsApiKeyHeader: false,
  requestIdHeader: null,
  providerHeaders: [],
  ordersParts: true,
  endpoints: [responsesEndpoint],
  errorBody,
  errorHeaders: retryHint,
  errorFrame,
  usage: openaiUsage,
}

class WeighedRequest implements EstimatedRequest {
  readonly estimate: TokenEstimate
  readonly #frame: ResponseRequestFrame
  readonly #bytes: Uint8Array | undefined
  #request: InferenceRequest | null = null

  constructor(frame: ResponseRequestFrame, estimate: TokenEstimate, bytes: Uint8Array | undefined) {
    this.#frame = frame
    this.estimate = estimate
    this.#bytes = bytes
  }

  read(rules: ClientRules): InferenceRequest {
    this.#request ??= readByRules(this.#frame, rules, () => readRequest(this.#frame, this.#bytes))
    return this.#request
  }
}
