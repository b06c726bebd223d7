// Parses one accepted request and passes it to exactly one plane, or rejects it. Must not know a plane's routes; the
// meaning of hosts and secrets comes from its options.
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
import { answerProbe } from './health.ts'
import type { HostDecider, HostDecision } from './host-decision.ts'
import { type Destination, isProbe, locate, locatePlain, tlsAllowedPath } from './locate-request.ts'
import type { RequestInFlight, RequestsInFlight } from './requests-in-flight.ts'

export type RequestHandler = (
  request: PlaneRequest,
  response: PlaneResponse,
  incoming: Incoming,
) => void | Promise<void>
/** A handler that needs the runtime's own request and response. */
export type RuntimeRequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  incoming: Incoming,
) => void | Promise<void>

export interface RequestHandlers {
  management: RuntimeRequestHandler
  project: RuntimeRequestHandler
  /** Requests of our other services, with the shared secret, on any host that is not a project's. */
  internal: RuntimeRequestHandler
  /** Requests to unknown hosts; without it they get an error. */
  unknown?: RuntimeRequestHandler
  /** Requests of a local reverse proxy to the one path that is not for clients, under any host name. */
  tlsAllowed?: RuntimeRequestHandler
  /** Requests of a metrics scraper, which this handler authorises; not available on project hosts. */
  metrics?: RuntimeRequestHandler
  /** Finds the handler of a fast-lane request; null if the runtime's server must answer it. */
  findPlain?(host: HostDecision, path: string): RequestHandler | null
}

/** What is known of a request once its response has ended. The route is a plane's pattern. */
export interface EndedRequest {
  plane: HostDecision['kind'] | 'probe' | 'none'
  route: string | undefined
  durationMs: number
}

/** What the listener holds for all of its connections. */
export interface ListenerState {
  readonly handlers: RequestHandlers
  readonly decideHost: HostDecider
  readonly readClientAddress: ClientAddressReader
  readonly isInternalSecret: (secret: string) => boolean
  readonly readiness: () => readonly string[]
  readonly open: RequestsInFlight
  readonly bodies: BodyMemory
  /** Called when a response has ended. */
  readonly onEnded?: (request: PlaneRequest, response: PlaneResponse, ended: EndedRequest) => void
  /** Connections that sent something ambiguous: nothing further on them is treated as a request. */
  readonly distrusted: WeakSet<Duplex>
  readonly log: Log
  readonly now: () => number
  readonly randomId: () => string
  isDraining: boolean
}

/** The content of a request's log line, filled in as it becomes known. */
interface LogEntry {
  readonly id: string
  readonly startedAt: number
  readonly logContext: Incoming['logContext']
  plane: EndedRequest['plane']
  format: ErrorFormat
}

const metricsPath = '/metrics'
export function acceptRequest(
  listener: ListenerState,
  request: RuntimeRequest,
  response: ServerResponse,
  inviteBody?: () => void,
): void {
  if (listener.distrusted.has(request.socket)) return
  const logEntry = createLogEntry(listener)
  const opened = open(listener, request, response, logEntry)
  const run = (incoming: Incoming) => {
    follow(listener, response, logEntry, () => dispatch(listener, request, response, incoming, logEntry))
  }
  try {
    const incoming = describe(listener, request, opened, logEntry, locate(listener, request, logEntry))
    request.gatherBody(listener.bodies)
    inviteBody?.()
    if (request.headers['transfer-encoding'] === undefined) run(incoming)
    // Chunks that arrived with the head are parsed first: if their framing is invalid, the request is not dispatched.
    // An error after the end of the request does not count.
    else queueMicrotask(() => (listener.distrusted.has(request.socket) && !request.complete) || run(incoming))
  } catch (error) {
    if (!isHarmless(error)) {
      listener.distrusted.add(request.socket)
      response.setHeader('connection', 'close')
    }
    fail(listener, response, logEntry, error)
  }
}

/** Returns false, and does nothing, if the runtime's server must handle the request, including its errors. */
export function acceptPlain(listener: ListenerState, request: FastLaneRequest, respond: () => PlaneResponse): boolean {
  let destination: Destination | null = null
  let handle: RequestHandler | null = null
  try {
    destination = locatePlain(listener, request)
    if (destination !== null) handle = listener.handlers.findPlain?.(destination.host, destination.path) ?? null
  } catch (error) {
    // The runtime's server meets the same error and can answer with it.
    listener.log.error('request could not be routed on the fast lane', { error })
  }
  if (destination === null || handle === null) return false
  const response = respond()
  const logEntry = createLogEntry(listener)
  const opened = open(listener, request, response, logEntry)
  logEntry.plane = destination.host.kind
  follow(listener, response, logEntry, () =>
    handle(request, response, describe(listener, request, opened, logEntry, destination)),
  )
  return true
}

const createLogEntry = ({ randomId, now }: ListenerState): LogEntry => ({
  id: randomId(),
  startedAt: now(),
  logContext: {},
  plane: 'none',
  format: gatewayErrors,
})

/** From here on the request gets a response and, at its end, a log line. */
function open(
  listener: ListenerState,
  request: PlaneRequest,
  response: PlaneResponse,
  logEntry: LogEntry,
): RequestInFlight {
  const opened = listener.open.add(request, response, () => concludeRequest(listener, request, response, logEntry))
  response.setHeader('x-request-id', logEntry.id)
  if (listener.isDraining) response.setHeader('connection', 'close')
  // A plane may write after the response was ended for it; without a listener that error would end the process.
  response.on('error', error =>
    listener.log.warn('write after the end of a response', { request_id: logEntry.id, error }),
  )
  return opened
}

function follow(
  listener: ListenerState,
  response: PlaneResponse,
  logEntry: LogEntry,
  answer: () => void | Promise<void>,
): void {
  try {
    answer()?.catch(error => fail(listener, response, logEntry, error))
  } catch (error) {
    fail(listener, response, logEntry, error)
  }
}

function fail({ log }: ListenerState, response: PlaneResponse, { format, id }: LogEntry, error: unknown): void {
  replyError(response, error, { format, log, requestId: id })
}

/** An unknown method does not make the connection suspicious; any other error before dispatch does. */
function isHarmless(error: unknown): boolean {
  return error instanceof Refusal && error.row.status === 405
}

function describe(
  listener: ListenerState,
  request: PlaneRequest,
  opened: RequestInFlight,
  logEntry: LogEntry,
  destination: Destination,
): Incoming {
  const { host, path, query, isInternal } = destination
  // The planes' routers read the url, so it must contain only the path that was decided on.
  request.url = query === '' ? path : `${path}?${query}`
  const { remoteAddress } = request.socket
  const incoming: Incoming = {
    id: logEntry.id,
    host,
    method: request.method ?? '',
    path,
    query,
    // No getter: an object with one has its members in a hash table, which costs each request a fifth of its time.
    clientAddress: listener.readClientAddress(
      remoteAddress,
      request.headers['x-forwarded-for']?.toString(),
      isInternal,
    ),
    isInternal,
    receivedAt: logEntry.startedAt,
    logContext: logEntry.logContext,
    onCutOff: callback => {
      opened.cutOffCallbacks.push(callback)
    },
  }
  return incoming
}

function dispatch(
  listener: ListenerState,
  request: IncomingMessage,
  response: ServerResponse,
  incoming: Incoming,
  logEntry: LogEntry,
): void | Promise<void> {
  rememberIncoming(request, incoming)
  const { host, path, method } = incoming
  if (isProbe(path, host.kind === 'management')) {
    logEntry.plane = 'probe'
    logEntry.logContext.route = path
    return answerProbe(path, method, response, listener)
  }
  if (path === tlsAllowedPath && listener.handlers.tlsAllowed !== undefined) {
    logEntry.logContext.route = path
    return listener.handlers.tlsAllowed(request, response, incoming)
  }
  if (path === metricsPath && host.kind !== 'project' && listener.handlers.metrics !== undefined) {
    logEntry.plane = 'probe'
    logEntry.logContext.route = path
    return listener.handlers.metrics(request, response, incoming)
  }
  const handle = listener.handlers[host.kind]
  if (handle === undefined) throw new Refusal('unknown_host')
  if (host.kind !== 'unknown') logEntry.plane = host.kind
  return handle(request, response, incoming)
}

/** One line per request. The route is the plane's pattern, because paths may hold tokens. */
function concludeRequest(
  listener: ListenerState,
  request: PlaneRequest,
  response: PlaneResponse,
  logEntry: LogEntry,
): void {
  const { log, now, onEnded } = listener
  if (request instanceof RuntimeRequest) request.freeBody()
  const { id, plane, logContext, startedAt } = logEntry
  const durationMs = now() - startedAt
  onEnded?.(request, response, { plane, route: logContext.route, durationMs })
  const fields = {
    request_id: id,
    plane,
    method: request.method,
    route: logContext.route,
    status: response.headersSent ? response.statusCode : undefined,
    aborted: response.writableFinished ? undefined : true,
    duration_ms: durationMs,
    tenant_id: logContext.tenantId,
    project_id: logContext.projectId,
  }
  if (plane === 'probe') log.debug('request', fields)
  else log.info('request', fields)
}
