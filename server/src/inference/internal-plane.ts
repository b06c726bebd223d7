// Serves the inference role over HTTP to Sallyport's own gateways: the identity comes in headers with the shared
// secret, and the gateway settles by the cost that the answer reports. Tokens, limits and hosts are the gateway's.

import { AdmittedCall } from '../call/admitted-call.ts'
import { type InferencePort, refusalHeader } from '../call/inference-port.ts'
import { readIdentity } from '../call/injected-identity.ts'
import { type RequestRecorder, recordOf } from '../call/log-request.ts'
import { RequestNotes } from '../call/request-notes.ts'
import type { Verified } from '../domain/caller.ts'
import { Refusal } from '../domain/errors.ts'
import type { Log } from '../domain/log.ts'
import type { ResolvedConfig } from '../domain/resolved-config.ts'
import type { LiveConfig } from '../domain/settings/live-config.ts'
import type { ErrorFormat } from '../http/error-formats.ts'
import type { PlaneRequest, PlaneResponse } from '../http/exchange.ts'
import type { RequestHandler } from '../http/front/accept-request.ts'
import type { Incoming } from '../http/incoming.ts'
import { readBody } from '../http/read-body.ts'
import { replyError } from '../http/reply.ts'
import { surfaces } from '../surfaces/all-surfaces.ts'
import type { FindVersion } from '../surfaces/named-prompt.ts'
import { openBody } from '../surfaces/open-body.ts'
import type { Endpoint, Surface } from '../surfaces/surface.ts'
import type { Heartbeat } from './heartbeat.ts'

interface InternalPlaneDependencies {
  port: InferencePort
  /** Throws if there is no such route. */
  findRoute(method: string, path: string): Route
  /** The live config of the caller's project, and the settings that apply to the caller. */
  resolve(verified: Verified): Promise<{ live: LiveConfig; resolved: ResolvedConfig }>
  findVersion: FindVersion
  bodyLimitBytes: number
  now: () => number
  /** Writes the rows of the request log. */
  requests: RequestRecorder
  heartbeat: Pick<Heartbeat, 'begin' | 'end'>
  log: Log
}

interface Route {
  pattern: string
  surface: Surface
  endpoint: Endpoint | null
  hasBody: boolean
}

export function createInternalPlane(dependencies: InternalPlaneDependencies): RequestHandler {
  return async (request, response, incoming) => {
    // Outside the try: an invalid identity is an error of the gateway, so it is not written in a surface's format.
    const verified = readIdentity(request, incoming)
    incoming.logContext.projectId = verified.projectId
    incoming.logContext.tenantId = verified.tenantId
    const slot = dependencies.heartbeat.begin(response)
    let format: ErrorFormat = surfaces[0]
    let call: AdmittedCall | null = null
    try {
      const route = dependencies.findRoute(incoming.method, incoming.path)
      incoming.logContext.route = route.pattern
      format = route.surface
      call = await createCall(dependencies, verified, route, { request, response, incoming })
      if (call.estimated !== null) dependencies.port.checkRequest(call.estimated, verified, call.rules)
      await dependencies.port.answer(call)
    } catch (error) {
      if (!response.headersSent) response.setHeader(refusalHeader, error instanceof Refusal ? error.code : 'internal')
      replyError(response, error, { format, log: dependencies.log, requestId: verified.requestId })
    } finally {
      dependencies.heartbeat.end(slot)
    }
    if (call?.notes !== undefined) logCall(dependencies, call, incoming)
  }
}

function logCall({ requests, now }: InternalPlaneDependencies, call: AdmittedCall, { receivedAt }: Incoming): void {
  const { verified, request, response, route } = call
  const { requestId: id, projectId } = verified
  requests.add(recordOf({ id, projectId, receivedAt, request, response, route }, call, verified, now()))
}

interface Exchange {
  request: PlaneRequest
  response: PlaneResponse
  incoming: Incoming
}

async function createCall(
  { resolve, findVersion, bodyLimitBytes, now }: InternalPlaneDependencies,
  verified: Verified,
  { pattern, surface, endpoint, hasBody }: Route,
  { request, response, incoming }: Exchange,
): Promise<AdmittedCall> {
  const limits = { maxBytes: bodyLimitBytes }
  const body = hasBody ? await readBody(request, limits, endpoint?.operation.bodyKind) : null
  const bodyAt = now()
  const { live, resolved } = await resolve(verified)
  const project = { live, settings: resolved.settings }
  const opened = endpoint === null || body === null ? null : await openBody(endpoint, body, project, findVersion)
  const estimated = opened?.estimated ?? null
  const promptEstimate = estimated === null ? null : estimated.estimate.prompt
  const times = { receivedAt: incoming.receivedAt, bodyAt, admittedAt: now() }
  return new AdmittedCall(
    {
      verified,
      route: pattern,
      format: surface,
      request,
      response,
      body,
      estimated,
      prompt: opened?.prompt ?? null,
      live,
      resolved,
      promptEstimate,
      reportsUsage: true,
      notes: resolved.settings.request_log === 'off' ? undefined : new RequestNotes(times, now),
    },
    // The gateway settles the call and watches the kill switches; it ends a call by closing its connection.
    { account: null, registry: null, onCutOff: incoming.onCutOff, now },
  )
}
