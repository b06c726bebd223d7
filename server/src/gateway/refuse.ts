// The one place of the gateway where a refusal becomes an answer: in whose shape it is said.
// Knows the codes, not how they came about.

import { Refusal, type RefusalCode, type Surface } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { PlaneResponse } from '../http/plane-exchange.ts'
import { replyError } from '../http/reply.ts'

/** The gateway's own words, also where a body or an answer is concerned. */
const gatewayCodes: ReadonlySet<RefusalCode> = new Set([
  'payload_too_large',
  'unsupported_media_type',
  'request_timeout',
  'api_key_as_token',
  'traffic_suspended',
  'service_disabled',
  'rate_limited',
  'config_unavailable',
  'inference_unavailable',
  'draining',
])

export function refuse(log: Log, response: PlaneResponse, error: unknown, surface: Surface, requestId: string): void {
  const isGateways = error instanceof Refusal && gatewayCodes.has(error.code)
  replyError(response, error, { surface: isGateways ? 'gateway' : surface, log, requestId })
}
