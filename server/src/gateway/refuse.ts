// The one place of the gateway where a refusal becomes an answer: in whose shape it is said.
// Which refusals are always its own says their row.

import { Refusal, type Surface } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { PlaneResponse } from '../http/exchange.ts'
import { replyError } from '../http/reply.ts'

export function refuse(log: Log, response: PlaneResponse, error: unknown, surface: Surface, requestId: string): void {
  const isGateways = error instanceof Refusal && error.row.isGateways
  replyError(response, error, { surface: isGateways ? 'gateway' : surface, log, requestId })
}
