// Anthropic's Messages API as a surface, put together from the files of this folder.

import { endpoints } from '../../domain/conversation/operations.ts'
import { retryHint } from '../../http/error-formats.ts'
import { type Framed, FramedRequest } from '../framed-request.ts'
import type { Endpoint, Surface } from '../surface.ts'
import { createCountReply } from './count-reply.ts'
import { countDescription, messagesDescription } from './description.ts'
import { errorBody, errorFrame } from './errors.ts'
import { estimateMessages, estimatePrompt, type MessagesFrame } from './estimate-request.ts'
import { carryBody, messagePlaces } from './places.ts'
import { readRequest } from './read-request.ts'
import { usageReader } from './read-usage.ts'
import { createStreamReply, createWholeReply } from './replies.ts'
import { promptForm } from './write-prompt.ts'

const messagesEndpoint: Endpoint = {
  ...endpoints.messages,
  promptForm,
  estimate: (body, bytes) => openRequest(estimateMessages(body), bytes),
  streamReply: createStreamReply,
  wholeReply: createWholeReply,
  description: messagesDescription,
}

const countEndpoint: Endpoint = {
  ...endpoints.count_tokens,
  promptForm,
  estimate: (body, bytes) => openRequest(estimatePrompt(body), bytes),
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
  places: messagePlaces,
  ordersParts: true,
  endpoints: [messagesEndpoint, countEndpoint],
  errorFrame,
  usage: usageReader,
}

function openRequest({ frame, estimate }: Framed<MessagesFrame>, bytes: Uint8Array | undefined): FramedRequest {
  return new FramedRequest(estimate, frame, () =>
    bytes === undefined ? readRequest(frame, null) : readRequest(carryBody(bytes, frame), bytes),
  )
}
