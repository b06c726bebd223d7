// OpenAI's embeddings as a surface, put together from the files of this folder.

import { type ClientRules, readByRules } from '../../domain/conversation/client-rules.ts'
import type { EstimatedRequest, InferenceRequest } from '../../domain/conversation/inference-request.ts'
import { endpoints } from '../../domain/conversation/operations.ts'
import type { TokenEstimate } from '../../domain/conversation/token-estimate.ts'
import { gatewayErrors, retryHint } from '../../http/error-formats.ts'
import { errorBody, errorFrame } from '../openai-errors.ts'
import { openaiUsage } from '../openai-usage.ts'
import type { Surface } from '../surface.ts'
import { description } from './description.ts'
import { type EmbeddingFrame, estimateEmbedding } from './estimate-request.ts'
import { readRequest } from './read-request.ts'
import { createEmbeddingReply } from './reply.ts'

export const embeddings: Surface = {
  wireFormat: endpoints.embeddings.wireFormat,
  gatewayErrors,
  errorSchema: 'EmbeddingError',
  acceptsApiKeyHeader: false,
  requestIdHeader: null,
  providerHeaders: [],
  ordersParts: false,
  endpoints: [
    {
      ...endpoints.embeddings,
      estimate(body, bytes) {
        const { frame, estimate } = estimateEmbedding(body)
        return new WeighedEmbedding(frame, estimate, bytes)
      },
      wholeReply: createEmbeddingReply,
      description,
    },
  ],
  errorBody,
  errorHeaders: retryHint,
  errorFrame,
  usage: openaiUsage,
}

class WeighedEmbedding implements EstimatedRequest {
  readonly estimate: TokenEstimate
  readonly #frame: EmbeddingFrame
  readonly #bytes: Uint8Array | undefined
  #request: InferenceRequest | null = null

  constructor(frame: EmbeddingFrame, estimate: TokenEstimate, bytes: Uint8Array | undefined) {
    this.#frame = frame
    this.estimate = estimate
    this.#bytes = bytes
  }

  read(rules: ClientRules): InferenceRequest {
    this.#request ??= readByRules(this.#frame.body, rules, () => readRequest(this.#frame, this.#bytes))
    return this.#request
  }
}
