// OpenAI's Responses as a surface, put together from the files of this folder.

import { endpoints } from '../../domain/conversation/operations.ts'
import { gatewayErrors, retryHint } from '../../http/error-formats.ts'
import { FramedRequest } from '../framed-request.ts'
import { errorBody } from '../openai-errors.ts'
import { openaiUsage } from '../openai-usage.ts'
import type { Endpoint, Surface } from '../surface.ts'
import { description } from './description.ts'
import { errorFrame } from './errors.ts'
import { estimateRequest } from './estimate-request.ts'
import { namePrevious } from './name-previous.ts'
import { carryBody, responsePlaces } from './places.ts'
import { readRequest } from './read-request.ts'
import { createStreamReply, createWholeReply } from './replies.ts'
import { promptForm } from './write-prompt.ts'

export const responsesEndpoint: Endpoint = {
  ...endpoints.responses,
  promptForm,
  estimate(body, bytes) {
    const { frame, estimate } = estimateRequest(body)
    return new FramedRequest(estimate, frame, () =>
      bytes === undefined ? readRequest(frame) : readRequest(carryBody(bytes, frame), bytes),
    )
  },
  streamReply: (response, options) => namePrevious(options, createStreamReply(response, options)),
  wholeReply: (response, options) => namePrevious(options, createWholeReply(response, options)),
  description,
}

export const responses: Surface = {
  wireFormat: endpoints.responses.wireFormat,
  gatewayErrors,
  errorSchema: 'ResponsesError',
  acceptsApiKeyHeader: false,
  requestIdHeader: null,
  providerHeaders: [],
  places: responsePlaces,
  ordersParts: true,
  endpoints: [responsesEndpoint],
  errorBody,
  errorHeaders: retryHint,
  errorFrame,
  usage: openaiUsage,
}
