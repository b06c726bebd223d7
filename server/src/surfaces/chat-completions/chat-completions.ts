// OpenAI's chat completions as a surface, put together from the files of this folder.

import { endpoints } from '../../domain/conversation/operations.ts'
import { gatewayErrors, retryHint } from '../../http/error-formats.ts'
import { FramedRequest } from '../framed-request.ts'
import { errorBody, errorFrame } from '../openai-errors.ts'
import { openaiUsage } from '../openai-usage.ts'
import type { Endpoint, Surface } from '../surface.ts'
import { description } from './description.ts'
import { estimateRequest } from './estimate-request.ts'
import { carryBody } from './places.ts'
import { readRequest } from './read-request.ts'
import { createStreamReply, createWholeReply } from './replies.ts'
import { promptForm } from './write-prompt.ts'

export const chatCompletionsEndpoint: Endpoint = {
  ...endpoints.chat_completions,
  promptForm,
  estimate(body, bytes) {
    const { frame, estimate } = estimateRequest(body)
    return new FramedRequest(estimate, frame, () => readRequest(bytes === undefined ? frame : carryBody(bytes, frame)))
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
