// Anthropic's Messages API as a surface, put together from the files of this folder.

import { type ClientRules, readByRules } from '../../domain/conversation/client-rules.ts'
import type { EstimatedRequest, InferenceRequest } from '../../domain/conversation/inference-request.ts'
import { endpoints } from '../../domain/conversation/operations.ts'
import type { TokenEstimate } from '../../domain/conversation/token-estimate.ts'
import { retryHint } from '../../http/error-formats.ts'
import type { Endpoint, Surface } from '../surface.ts'
import { createCountReply } from './count-reply.ts'
import { countDescription, messagesDescription } from './description.ts'
import { errorBody, errorFrame } from './errors.ts'
import { estimateMessages, estimatePrompt, type FramedRequest, type MessagesFrame } from './estimate-request.ts'
import { readRequest } from './read-request.ts'
import { usageReader } from './read-usage.ts'
import { createStreamReply, createWholeReply } from './replies.ts'

const messagesEndpoint: Endpoint = {
  ...endpoints.messages,
  estimate: (body, bytes) => new FramedMessages(estimateMessages(body), bytes ?? null),
  streamReply: createStreamReply,
  wholeReply: createWholeReply,
  description: messagesDescription,
}

const countEndpoint: Endpoint = {
  ...endpoints.count_tokens,
  estimate: (body, bytes) => new FramedMessages(estimatePrompt(body), bytes ?? null),
  wholeReply: createCountReply,
  description: countDescription,
}

const errorFormat = { errorBody, errorHeaders: retryHint }

export const messages: Surface = {
  ...errorFormat,
  wireFormat: endpoints.messages.wireFormat,
  gatewayErrors: errorFormat,
  errorSchema: 'MessagesError',
  acceptsApiKeyHeader: true,
  requestIdHeader: 'request-id',
  providerHeaders: ['anthropic-version', 'anthropic-beta'],
  ordersParts: true,
  endpoints: [messagesEndpoint, countEndpoint],
  errorFrame,
  usage: usageReader,
}

class FramedMessages implements EstimatedRequest {
  readonly estimate: TokenEstimate
  readonly #frame: MessagesFrame
  readonly #bytes: Uint8Array | null
  #request: InferenceRequest | null = null

  constructor({ frame, estimate }: FramedRequest, bytes: Uint8Array | null) {
    this.#frame = frame
    this.#bytes = bytes
    this.estimate = estimate
  }

  read(rules: ClientRules): InferenceRequest {
    this.#request ??= readByRules(this.#frame, rules, () => readRequest(this.#frame, this.#bytes))
    return this.#request
  }
}
