// Turns one accepted request into one parsed value and gives it to exactly one plane, or refuses it.
// Knows no route of any plane; what a host or a secret means it is told.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '../../domain/errors.ts'
import type { Log } from '../../domain/log.ts'
import type { BodyMemory } from '../body-memory.ts'
import { type ErrorFormat, gatewayErrors } from '../error-formats.ts'
import type { PlaneRequest, PlaneResponse } from '../exchange.ts'
import type { FastLaneRequest } from '../fast-lane/request.ts'
import { type Incoming, rememberIncoming } from '../incoming.ts'
import { replyError } from '../reply.ts'
import { RuntimeRequest } from '../runtime/request.ts'
import type { ClientAddressReader } from './client-address.ts'
import { answerProbe, isProbe } from './health.ts'
import type { HostDecider, HostDecision } from './host-decision.ts'
import { locate, locatePlain, type Place, tlsAllowedPath } from './locate-request.ts'
import type { RequestInFlight, RequestsInFlight } from './requests-in-flight.ts'

export type RequestHandler = (
  request: PlaneRequest,
  response: PlaneResponse,
  incoming: Incoming,
) => void | Promise<void>
/** One that is built on the runtime's own requests. */
export type RuntimeRequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  incoming: Incoming,
) => void | Promise<void>

export interface RequestHandlers {
  management: RuntimeRequestHandler
  project: RuntimeRequestHandler
  /** Other services of ours, with the shared secret, on any host that is not a project's. */
  internal: RuntimeRequestHandler
  /** Hosts that are nobody's; absent: whoever asks is told so. */
  unknown?: RuntimeRequestHandler
  /** Who runs beside us, under whatever name, at the one path that is not for clients; absent: there is none. */
  tlsAllowed?: RuntimeRequestHandler
  /** For those who watch this process; who may is its business, and on a project's host it does not exist. */
  metrics?: RuntimeRequestHandler
  /** Who answers a request that the runtime did not read, where somebody does. */
  findPlain?(host: HostDecision, path: string): RequestHandler | null
}

/** What is known of a request once its answer is over. The route is a plane's pattern. */
export interface EndedRequest {
  plane: HostDecision['kind'] | 'probe' | 'none'
  route: string | undefined
  durationMs: number
}

/** What the listener holds for all of its connections. */
export interface ListenerState {
  readonly planes: RequestHandlers
  readonly decideHost: HostDecider
  readonly readClientAddress: ClientAddressReader
  readonly isInternalSecret: (secret: string) => boolean
  readonly readiness: () => readonly string[]
  readonly open: RequestsInFlight
  readonly bodies: BodyMemory
  /** Hears of every request at its end. */
  readonly onEnded?: (request: PlaneRequest, response: PlaneResponse, ended: EndedRequest) => void
  /** Connections that sent something ambiguous: what follows on them is not a request any more. */
  readonly distrusted: WeakSet<Duplex>
  readonly log: Log
  readonly now: () => number
  readonly randomId: () => string
  isDraining: boolean
}

/** What the log line of a request will say, filled in as it becomes known. */
interface Trail {
  readonly id: string
  readonly startedAt: number
  readonly account: Incoming['logContext']
  plane: EndedRequest['plane']
  format: ErrorFormat
}

const metricsPath = '/metrics'
export function acceptRequest(
  front: ListenerState,
  request: RuntimeRequest,
  response: ServerResponse,
  inviteBody?: () => void,
): void {
  if (front.distrusted.has(request.socket)) return
  const trail = beginTrail(front)
  const opened = open(front, request, response, trail)
  const run = (incoming: Incoming) => {
    follow(front, response, trail, () => dispatch(front, request, response, incoming, trail))
  }
  try {
    const incoming = describe(front, request, opened, trail, locate(front, request, trail))
    request.gatherBody(front.bodies)
    inviteBody?.()
    if (request.headers['transfer-encoding'] === undefined) run(incoming)
    // Chunks that came along are parsed first: where their framing is broken, nothing is dispatched. What is broken behind
    // the whole of it does not count.
    else queueMicrotask(() => (front.distrusted.has(request.socket) && !request.complete) || run(incoming))
  } catch (error) {
    if (!isHarmless(error)) {
      front.distrusted.add(request.socket)
      response.setHeader('connection', 'close')
    }
    fail(front, response, trail, error)
  }
}

/** False, and nothing done, where the request is one for the runtime's server: that one also has the words for its faults. */
export function acceptPlain(front: ListenerState, request: FastLaneRequest, respond: () => PlaneResponse): boolean {
  let place: Place | null = null
  let plane: RequestHandler | null = null
  try {
    place = locatePlain(front, request)
    if (place !== null) plane = front.planes.findPlain?.(place.host, place.path) ?? null
  } catch (error) {
    // Whoever reads it instead comes upon the same fault, with an answer to say it in.
    front.log.error('plain request not to be placed', { error })
  }
  if (place === null || plane === null) return false
  const response = respond()
  const trail = beginTrail(front)
  const opened = open(front, request, response, trail)
  trail.plane = place.host.kind
  follow(front, response, trail, () => plane(request, response, describe(front, request, opened, trail, place)))
  return true
}

const beginTrail = ({ randomId, now }: ListenerState): Trail => ({
  id: randomId(),
  startedAt: now(),
  account: {},
  plane: 'none',
  format: gatewayErrors,
})

/** From here on the request has an answer and, at its end, a line in the log. */
function open(front: ListenerState, request: PlaneRequest, response: PlaneResponse, trail: Trail): RequestInFlight {
  const opened = front.open.add(request, response, () => concludeRequest(front, request, response, trail))
  response.setHeader('x-request-id', trail.id)
  if (front.isDraining) response.setHeader('connection', 'close')
  // A plane may write after the answer was ended for it: unheard, that error would end the process.
  response.on('error', error => front.log.warn('answer written too late', { request_id: trail.id, error }))
  return opened
}

function follow(front: ListenerState, response: PlaneResponse, trail: Trail, answer: () => void | Promise<void>): void {
  try {
    answer()?.catch(error => fail(front, response, trail, error))
  } catch (error) {
    fail(front, response, trail, error)
  }
}

function fail({ log }: ListenerState, response: PlaneResponse, { format, id }: Trail, error: unknown): void {
  replyError(response, error, { format, log, requestId: id })
}

/** A foreign method says nothing against the connection; anything else found before dispatch does. */
function isHarmless(error: unknown): boolean {
  return error instanceof Refusal && error.row.status === 405
}

function describe(
  front: ListenerState,
  request: PlaneRequest,
  opened: RequestInFlight,
  trail: Trail,
  place: Place,
): Incoming {
  const { host, path, query, isInternal } = place
  // The planes' own routers read the url: it says what was decided on, nothing else.
  request.url = query === '' ? path : `${path}?${query}`
  const { remoteAddress } = request.socket
  const incoming: Incoming = {
    id: trail.id,
    host,
    method: request.method ?? '',
    path,
    query,
    clientAddress: front.readClientAddress(remoteAddress, request.headers['x-forwarded-for']?.toString()),
    isInternal,
    receivedAt: trail.startedAt,
    logContext: trail.account,
    onCutOff: callback => {
      opened.cutOffCallbacks.push(callback)
    },
  }
  rememberIncoming(request, incoming)
  return incoming
}

function dispatch(
  front: ListenerState,
  request: IncomingMessage,
  response: ServerResponse,
  incoming: Incoming,
  trail: Trail,
): void | Promise<void> {
  const { host, path, method } = incoming
  if (isProbe(path, host.kind === 'management')) {
    trail.plane = 'probe'
    trail.account.route = path
    return answerProbe(path, method, response, front)
  }
  if (path === tlsAllowedPath && front.planes.tlsAllowed !== undefined) {
    trail.account.route = path
    return front.planes.tlsAllowed(request, response, incoming)
  }
  if (path === metricsPath && host.kind !== 'project' && front.planes.metrics !== undefined) {
    trail.plane = 'probe'
    trail.account.route = path
    return front.planes.metrics(request, response, incoming)
  }
  const plane = front.planes[host.kind]
  if (plane === undefined) throw new Refusal('unknown_host')
  if (host.kind !== 'unknown') trail.plane = host.kind
  return plane(request, response, incoming)
}

/** One line per request; the route is the plane's pattern, because paths may hold tokens. */
function concludeRequest(front: ListenerState, request: PlaneRequest, response: PlaneResponse, trail: Trail): void {
  const { log, now, onEnded } = front
  if (request instanceof RuntimeRequest) request.freeBody()
  const { id, plane, account, startedAt } = trail
  const durationMs = now() - startedAt
  onEnded?.(request, response, { plane, route: account.route, durationMs })
  const fields = {
    request_id: id,
    plane,
    method: request.method,
    route: account.route,
    status: response.headersSent ? response.statusCode : undefined,
    aborted: response.writableFinished ? undefined : true,
    duration_ms: durationMs,
    tenant_id: account.tenantId,
    project_id: account.projectId,
  }
  if (plane === 'probe') log.debug('request', fields)
  else log.info('request', fields)
}
