// The classes of provider errors that protocols distinguish, and the error that the client gets for each.
// Independent of wire formats: protocols create errors from responses, callers of providers from failed
// connections.

import { Refusal, type RefusalCode } from '../errors.ts'
import { scrubProviderText } from './scrub-provider-text.ts'

export type ProviderErrorClass =
  | 'auth'
  | 'quota'
  | 'rate_limit'
  | 'context_overflow'
  | 'model_not_found'
  | 'invalid_request'
  | 'content_filter'
  | 'overloaded'
  | 'server_error'
  /** No response in time. */
  | 'timeout'
  /** No connection, or one that broke before the answer began. */
  | 'network'
  /** A response, or a part of one, that is not in the provider's format. */
  | 'malformed'
  /** An answer that ended before it was complete. */
  | 'truncated'

export interface ProviderError {
  class: ProviderErrorClass
  /** The provider's own words, which only `refusalOfProviderError` may show; null if there are none. */
  message: string | null
  param: string | null
  retryAfterSeconds: number | null
  /** The response's status; null if there was no response, or if the error came inside an answer. */
  status: number | null
  /** Why there was no complete response, as a word for the log only (`ECONNREFUSED`); null if there was one. */
  code: string | null
}

type ProviderErrorDetails = Partial<Omit<ProviderError, 'class'>>

/** Longer messages are cut. Much more than is shown: a secret that is cut cannot be recognised. */
const maxMessageLength = 65_536

export function providerError(errorClass: ProviderErrorClass, details: ProviderErrorDetails = {}): ProviderError {
  const { message = null, param = null, retryAfterSeconds = null, status = null, code = null } = details
  return {
    class: errorClass,
    message: message === null ? null : message.slice(0, maxMessageLength),
    param,
    retryAfterSeconds,
    status,
    code,
  }
}

/** Classes that say something about the request: another provider would reject it as well. */
const requestClasses: ReadonlySet<ProviderErrorClass> = new Set([
  'invalid_request',
  'context_overflow',
  'content_filter',
])
/** Statuses of a request that this provider does not serve, whatever words its error has. */
const providerStatuses: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 429])

/** Whether another provider may answer the same request. */
export function isOfProvider({ class: errorClass, status }: ProviderError): boolean {
  if (!requestClasses.has(errorClass)) return true
  return errorClass === 'invalid_request' && status !== null && (status >= 500 || providerStatuses.has(status))
}

const refusalCodes: Record<ProviderErrorClass, RefusalCode> = {
  auth: 'provider_auth_error',
  quota: 'quota_exceeded',
  rate_limit: 'provider_rate_limited',
  context_overflow: 'context_length_exceeded',
  model_not_found: 'model_not_found',
  invalid_request: 'provider_invalid_request',
  content_filter: 'content_filter',
  overloaded: 'provider_unavailable',
  server_error: 'provider_unavailable',
  timeout: 'provider_timeout',
  network: 'provider_unavailable',
  malformed: 'provider_unavailable',
  truncated: 'provider_unavailable',
}

const errorAnswered = 'The provider answered with an error'
const brokenOff = "The provider's stream broke off"

/** For classes that share one code; the others use the message of their code. */
const unavailableMessages: Partial<Record<ProviderErrorClass, string>> = {
  overloaded: errorAnswered,
  server_error: errorAnswered,
  malformed: errorAnswered,
  truncated: brokenOff,
}

/** Classes whose message helps the client; those of other classes concern the operator only. */
const shownClasses: ReadonlySet<ProviderErrorClass> = new Set(['invalid_request', 'content_filter', 'context_overflow'])

/** The longest Retry-After that clients obey by themselves. */
const maxObeyedSeconds = 60

/** The error for a request whose answer has not begun. */
export function refusalOfProviderError(error: ProviderError): Refusal {
  const code = refusalCodes[error.class]
  const message = shownMessage(error) ?? unavailableMessages[error.class] ?? null
  const retryAfterSeconds = error.class === 'rate_limit' ? Math.max(1, error.retryAfterSeconds ?? 1) : undefined
  const refusal = new Refusal(code, {
    ...(message === null ? {} : { message }),
    ...(error.param === null ? {} : { param: error.param }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
  const isHopeless =
    error.class === 'auth' ||
    (refusal.row.status < 500 && (retryAfterSeconds ?? Number.POSITIVE_INFINITY) > maxObeyedSeconds)
  if (isHopeless) refusal.details.headers = { 'x-should-retry': 'false' }
  return refusal
}

function shownMessage({ class: errorClass, message }: ProviderError): string | null {
  if (message === null || !shownClasses.has(errorClass)) return null
  const scrubbed = scrubProviderText(message)
  // Clients recognise an overflow by this phrase.
  if (errorClass !== 'context_overflow' || /maximum context length/i.test(scrubbed)) return scrubbed
  return `This model's maximum context length is exceeded: ${scrubbed}`
}

/** Invalid data after valid events means that the stream broke; errors of other classes are sent by the provider. */
const breakingClasses: ReadonlySet<ProviderErrorClass> = new Set(['truncated', 'malformed', 'network'])

/** The error that ends an answer that has begun: the last event of its stream. */
export function refusalOfBrokenAnswer({ class: errorClass }: ProviderError): Refusal {
  if (errorClass === 'timeout') return new Refusal('provider_timeout')
  return new Refusal('provider_unavailable', {
    message: breakingClasses.has(errorClass) ? brokenOff : errorAnswered,
  })
}
