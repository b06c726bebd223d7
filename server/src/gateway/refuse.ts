// The one place of the gateway where a refusal becomes a response, and its error format is chosen: rows of `errors.ts` say
// which refusals always have the gateway's.

import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import { type ErrorFormat, gatewayErrors } from '../http/error-formats.ts'
import type { PlaneResponse } from '../http/exchange.ts'
import { replyError } from '../http/reply.ts'

export function refuse(
  log: Log,
  response: PlaneResponse,
  error: unknown,
  format: ErrorFormat,
  requestId: string,
): void {
  const isGateways = error instanceof Refusal && error.row.isGateways
  replyError(response, error, { format: isGateways ? gatewayErrors : format, log, requestId })
}
