// What can go wrong at a provider, in classes that its protocol recognises, and what each class means to the client.
// Knows no wire format: protocols make faults out of answers, the caller out of connections that failed.

import { Refusal, type RefusalCode } from '../errors.ts'
import { scrubProviderText } from '../scrub-provider-text.ts'

export type FaultClass =
  | 'auth'
  | 'quota'
  | 'rate_limit'
  | 'context_overflow'
  | 'model_not_found'
  | 'invalid_request'
  | 'content_filter'
  | 'overloaded'
  | 'server_error'
  /** No answer in time. */
  | 'timeout'
  /** No connection, or one that broke before an answer began. */
  | 'network'
  /** An answer, or a piece of one, that is not in the provider's format. */
  | 'malformed'
  /** An answer that ended before it was complete. */
  | 'truncated'

export interface ProviderFault {
  class: FaultClass
  /** The provider's own words, scrubbed; null where there are none fit to be shown. */
  message: string | null
  param: string | null
  retryAfterSeconds: number | null
  /** Of the provider's answer; null where there was none, or the fault came inside of one. */
  status: number | null
  /** Why there was no answer, or not all of one, in a word for the log alone (`ECONNREFUSED`); null where it came. */
  code: string | null
}

type FaultDetails = Partial<Omit<ProviderFault, 'class'>>

/** The one way to make a fault, so that no message goes unscrubbed. */
export function providerFault(faultClass: FaultClass, details: FaultDetails = {}): ProviderFault {
  const { message = null, param = null, retryAfterSeconds = null, status = null, code = null } = details
  return {
    class: faultClass,
    message: message === null ? null : scrubProviderText(message),
    param,
    retryAfterSeconds,
    status,
    code,
  }
}

const refusalCodes: Record<FaultClass, RefusalCode> = {
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

/** Of classes that share one code; the others say what their code says. */
const unavailableMessages: Partial<Record<FaultClass, string>> = {
  overloaded: errorAnswered,
  server_error: errorAnswered,
  malformed: errorAnswered,
  truncated: brokenOff,
}

/** Classes whose words help the one who asked; those of the others are the operator's business. */
const spokenClasses: ReadonlySet<FaultClass> = new Set(['invalid_request', 'content_filter', 'context_overflow'])

/** A client that is told to come back within this time does so by itself. */
const patienceSeconds = 60

/** The refusal of a request whose answer has not begun. */
export function refusalOfFault(fault: ProviderFault): Refusal {
  const code = refusalCodes[fault.class]
  const message = spokenMessage(fault) ?? unavailableMessages[fault.class] ?? null
  const retryAfterSeconds = fault.class === 'rate_limit' ? Math.max(1, fault.retryAfterSeconds ?? 1) : undefined
  const refusal = new Refusal(code, {
    ...(message === null ? {} : { message }),
    ...(fault.param === null ? {} : { param: fault.param }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
  const isHopeless =
    fault.class === 'auth' ||
    (refusal.row.status < 500 && (retryAfterSeconds ?? Number.POSITIVE_INFINITY) > patienceSeconds)
  if (isHopeless) refusal.details.headers = { 'x-should-retry': 'false' }
  return refusal
}

function spokenMessage({ class: faultClass, message }: ProviderFault): string | null {
  if (message === null || !spokenClasses.has(faultClass)) return null
  // Clients recognise an overflow by these words.
  if (faultClass !== 'context_overflow' || /maximum context length/i.test(message)) return message
  return `This model's maximum context length is exceeded: ${message}`
}

/** Garbage behind good events is where a stream ends; other classes are errors that the provider sends in it. */
const breakingClasses: ReadonlySet<FaultClass> = new Set(['truncated', 'malformed', 'network'])

/** Why an answer that has begun ends: the last event of its stream. */
export function refusalOfBreak({ class: faultClass }: ProviderFault): Refusal {
  if (faultClass === 'timeout') return new Refusal('provider_timeout')
  return new Refusal('provider_unavailable', {
    message: breakingClasses.has(faultClass) ? brokenOff : errorAnswered,
  })
}
