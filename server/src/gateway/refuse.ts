// Writes the error responses of the data plane's steps. Errors whose row in `errors.ts` has `isGateways` always use the
// gateway's errors of the route's surface, all others the given format.

import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { ErrorFormat } from '../http/error-formats.ts'
import type { PlaneResponse } from '../http/exchange.ts'
import { replyError } from '../http/reply.ts'

export interface RefusalFormats {
  gateway: ErrorFormat
  format: ErrorFormat
}

export function refuse(
  log: Log,
  response: PlaneResponse,
  error: unknown,
  { gateway, format }: RefusalFormats,
  requestId: string,
): void {
  const isGateways = error instanceof Refusal && error.row.isGateways
  replyError(response, error, { format: isGateways ? gateway : format, log, requestId })
}
