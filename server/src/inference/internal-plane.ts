// The inference role reached over HTTP by a gateway of ours: the identity comes in headers, under the shared secret, and
// the gateway settles on what the answer says it cost. Knows no token, no limit and no host.

import type { Verified } from '../domain/caller.ts'
import { isRetryFutile, Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { LiveConfig, ResolvedConfig } from '../domain/settings/live-config.ts'
import type { PlaneRequest, PlaneResponse } from '../http/exchange.ts'
import type { RequestHandler } from '../http/front/accept-request.ts'
import type { Incoming } from '../http/incoming.ts'
import type { AdmittedCall, Ending, InferencePort } from '../http/inference-port.ts'
import { readIdentity } from '../http/injected-identity.ts'
import { type JsonBody, readBody } from '../http/read-body.ts'
import { replyError } from '../http/reply.ts'
import type { Heartbeat } from './heartbeat.ts'

interface InternalPlaneParts {
  port: InferencePort
  /** The route's pattern, and what its body asks for; null for routes without one. Throws where there is no such route. */
  findRoute(method: string, path: string): { pattern: string; estimate: Estimator | null }
  /** The live config of the caller's project, and what it means for the caller. */
  resolve(verified: Verified): Promise<{ live: LiveConfig; resolved: ResolvedConfig }>
  bodyLimitBytes: number
  lifeSigns: Pick<Heartbeat, 'begin' | 'end'>
  log: Log
}

type Estimator = (
  body: unknown,
) => { ok: true; estimate: { prompt: number } } | { ok: false; message: string; param: string | null }

export function createInternalPlane(parts: InternalPlaneParts): RequestHandler {
  return async (request, response, incoming) => {
    // Its fault is the other process's, and said in the words of processes.
    const verified = readIdentity(request, incoming)
    incoming.logContext.projectId = verified.projectId
    incoming.logContext.tenantId = verified.tenantId
    const seat = parts.lifeSigns.begin(response)
    try {
      await parts.port.answer(await describeCall(parts, verified, { request, response, incoming }))
    } catch (error) {
      refuse(parts.log, response, error, verified.requestId)
    } finally {
      parts.lifeSigns.end(seat)
    }
  }
}

interface Exchange {
  request: PlaneRequest
  response: PlaneResponse
  incoming: Incoming
}

async function describeCall(
  { findRoute, resolve, bodyLimitBytes }: InternalPlaneParts,
  verified: Verified,
  { request, response, incoming }: Exchange,
): Promise<AdmittedCall> {
  const { pattern, estimate } = findRoute(incoming.method, incoming.path)
  incoming.logContext.route = pattern
  const ending = endingOf(response, incoming)
  const body = estimate === null ? null : await readBody(request, { maxBytes: bodyLimitBytes })
  const promptEstimate = estimate === null || body === null ? null : promptOf(estimate, body)
  return {
    verified,
    route: pattern,
    request,
    response,
    body,
    ...(await resolve(verified)),
    tellsUsage: true,
    promptEstimate,
    ending,
    // Both are the gateway's, who reads the answer's cost from the answer.
    checkpoint: () => undefined,
    settle: () => undefined,
  }
}

function promptOf(estimate: Estimator, body: JsonBody): number {
  const checked = estimate(body.value)
  if (checked.ok) return checked.estimate.prompt
  const { message, param } = checked
  throw new Refusal('invalid_request', param === null ? { message } : { message, param })
}

/** The gateway closes its connection for whatever reason its call ends. */
function endingOf(response: PlaneResponse, incoming: Incoming): AbortSignal {
  const controller = new AbortController()
  const end = (reason: Ending) => controller.abort(reason)
  if (response.destroyed) end('client_gone')
  response.once('close', () => response.writableFinished || end('client_gone'))
  incoming.onCutOff(() => end('server_shutting_down'))
  return controller.signal
}

function refuse(log: Log, response: PlaneResponse, error: unknown, requestId: string): void {
  if (error instanceof Refusal && isRetryFutile(error) && !response.headersSent) {
    response.setHeader('x-should-retry', 'false')
  }
  replyError(response, error, { surface: 'openai', log, requestId })
}
