// The headers of the data plane's responses, and which of them a response of a status can have.

import { cacheHeader } from '../call/inference-port.ts'
import type { Operation } from '../domain/conversation/operations.ts'
import type { Response } from '../http/openapi-types.ts'

type Headers = NonNullable<Response['headers']>

const count = { type: 'integer', minimum: 0 }

const ofLimit = (unit: string, period: string): Headers => ({
  [`x-ratelimit-limit-${unit}`]: { description: `The limit of the ${period}, in ${unit}`, schema: count },
  [`x-ratelimit-remaining-${unit}`]: { description: `How many ${unit} of the ${period} are left`, schema: count },
  [`x-ratelimit-reset-${unit}`]: { description: `Seconds until the ${period} is over`, schema: count },
})

const requestId: Headers = {
  'x-request-id': {
    description: 'Names the request in the gateway’s log',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
}
/** Absent from errors that come before the limits are looked at. */
const limits: Headers = { ...ofLimit('requests', 'minute'), ...ofLimit('tokens', 'day') }
const retryAfter: Headers = {
  'Retry-After': { description: 'Seconds to wait before a retry', schema: { type: 'integer', minimum: 1 } },
}
const shouldRetry: Headers = {
  'x-should-retry': { description: '`false` if a retry cannot help', schema: { type: 'string', const: 'false' } },
}
/** On answers of models, and on the errors of their providers. */
const ofModels: Headers = {
  'x-sallyport-model': { description: 'The model that answered, or failed', schema: { type: 'string' } },
  'x-sallyport-attempts': { description: 'With routes: how many calls to providers were begun', schema: count },
}
const allow: Headers = {
  Allow: { description: 'With 405: the methods of the path', schema: { type: 'string' } },
}

const cache: Headers = {
  [cacheHeader]: {
    description: 'Whether the answer comes from the project’s cache; absent if the cache is not used for the request',
    schema: { type: 'string', enum: ['hit', 'miss'] },
  },
}

/** The headers of an answer. */
export function answerHeadersOf({ caches }: Operation): Headers {
  return { ...headersOf('200'), ...ofModels, ...(caches ? cache : {}) }
}

export function headersOf(status: string): Headers {
  const code = status === 'default' ? null : Number(status)
  if (code === null) return { ...requestId, ...limits, ...retryAfter, ...shouldRetry, ...allow }
  return {
    ...requestId,
    ...limits,
    ...(code === 429 || code === 503 ? retryAfter : {}),
    ...(code >= 400 && code !== 503 ? shouldRetry : {}),
    ...(code >= 400 ? ofModels : {}),
  }
}

/** Mints answer in the format of the management API, without limits of requests to models. */
export function mintHeadersOf(status: string): Headers {
  return { ...requestId, ...(status === '429' || status === '503' ? retryAfter : {}) }
}
