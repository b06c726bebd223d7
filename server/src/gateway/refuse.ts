// Writes the error responses of the data plane's steps. Errors whose row in `errors.ts` has `isGateways` always use the
// gateway's error format, all others the given one.

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
