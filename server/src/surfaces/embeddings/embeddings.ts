// OpenAI's embeddings as a surface, put together from the files of this folder.

import { endpoints } from '../../domain/conversation/operations.ts'
import { gatewayErrors, retryHint } from '../../http/error-formats.ts'
import { FramedRequest } from '../framed-request.ts'
import { errorBody, errorFrame } from '../openai-errors.ts'
import { openaiUsage } from '../openai-usage.ts'
import type { Surface } from '../surface.ts'
import { description } from './description.ts'
import { estimateEmbedding } from './estimate-request.ts'
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
        return new FramedRequest(estimate, frame.body, () => readRequest(frame, bytes))
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
